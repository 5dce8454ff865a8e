// What preconditioners exist: one line each.
#include "base/error.hpp"
#include "solvers/preconditioner/schwarz/additive_schwarz.hpp"
#include "solvers/preconditioner/jacobi/block_jacobi.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson.hpp"
#include "solvers/preconditioner/async_ilu/async_ilu.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"
#include "solvers/preconditioner/parilu/parilu.hpp"
#include "solvers/preconditioner/jacobi/jacobi.hpp"
#include "solvers/preconditioner/line/line.hpp"
#include "solvers/preconditioner/multicolor/multicolor.hpp"
#include "solvers/preconditioner/aggregation/aggregation.hpp"
#include "solvers/preconditioner/multigrid/multigrid.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {
namespace {

template <class Space>
struct Entry {
  const char* type;
  std::unique_ptr<Preconditioner<Space>> (*make)(const Table& options);
};

template <class Space>
constexpr Entry<Space> entries[] = {
    {"none", make_none<Space>},
    {"jacobi", make_jacobi<Space>},
    {"fast_poisson", make_fast_poisson<Space>},
    {"multigrid", make_multigrid<Space>},
    {"block_jacobi", make_block_jacobi<Space>},
    {"block_ilu0", make_block_ilu0<Space>},
    {"line", make_line<Space>},
    {"async_ilu0", make_async_ilu0<Space>},
    {"async_block_ilu0", make_async_block_ilu0<Space>},
    {"aggregation", make_aggregation<Space>},
    {"parilu", make_parilu<Space>},
    {"parilut", make_parilut<Space>},
    {"multicolor", make_multicolor<Space>},
    {"additive_schwarz", make_additive_schwarz<Space>},
};

}  // namespace

std::vector<std::string> preconditioner_types() {
  std::vector<std::string> types;
  for (const auto& entry : entries<Host>) types.emplace_back(entry.type);
  return types;
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const std::string& type, const Table& options) {
  for (const auto& entry : entries<Space>)
    if (type == entry.type) return entry.make(options);
  std::string known;
  for (const auto& name : preconditioner_types()) known += (known.empty() ? "" : ", ") + name;
  options.fail("type", "unknown preconditioner '" + type + "'; known: " + known);
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const Table& options) {
  return make_preconditioner<Space>(options.get("type", "none"), options);
}

template std::unique_ptr<Preconditioner<Host>> make_preconditioner<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_preconditioner<Device>(const Table&);
template std::unique_ptr<Preconditioner<Host>> make_preconditioner<Host>(const std::string&, const Table&);
template std::unique_ptr<Preconditioner<Device>> make_preconditioner<Device>(const std::string&, const Table&);

}  // namespace weir
