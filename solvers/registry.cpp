// The list of methods and preconditioners.
#include "solvers/registry.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/visit.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {
namespace {

constexpr const PreconditionerDescription* all_preconditioners[] = {&preconditioner::none,
                                                                    &preconditioner::jacobi,
                                                                    &preconditioner::fast_poisson,
                                                                    &preconditioner::capacitance,
                                                                    &preconditioner::multigrid,
                                                                    &preconditioner::block_jacobi,
                                                                    &preconditioner::sgs,
                                                                    &preconditioner::block_ilu0,
                                                                    &preconditioner::line,
                                                                    &preconditioner::async_ilu0,
                                                                    &preconditioner::async_block_ilu0,
                                                                    &preconditioner::aggregation,
                                                                    &preconditioner::parilu,
                                                                    &preconditioner::parilut,
                                                                    &preconditioner::multicolor,
                                                                    &preconditioner::additive_schwarz,
                                                                    &preconditioner::plugin,
                                                                    &preconditioner::python};

constexpr const KrylovDescription* all_krylov_methods[] = {
    &krylov::cg,        &krylov::bicgstab,   &krylov::gmres,     &krylov::pipelined_cg, &krylov::pipelined_bicgstab,
    &krylov::fgmres,    &krylov::correction, &krylov::chebyshev, &krylov::bicgstab_l,   &krylov::idrs,
    &krylov::refinement};

template <class List>
auto found(const List& list, std::string_view name) {
  const auto it = std::find_if(std::begin(list), std::end(list), [&](const auto* d) { return d->name == name; });
  return it == std::end(list) ? nullptr : *it;
}

template <class List>
std::string names_of(const List& list) {
  std::string names;
  for (const auto* d : list) names += (names.empty() ? "" : ", ") + std::string(d->name);
  return names;
}

std::string misfit(const PreconditionerDescription& preconditioner, unsigned kind) {
  std::string takes, is, others;
  for (const MatrixKind& k : matrix_kinds) {
    if (k.kind & preconditioner.matrices) takes += (takes.empty() ? "" : ", ") + std::string(k.name);
    if (k.kind == kind) is = std::string(k.name) + " matrix (" + std::string(k.meaning) + ")";
  }
  for (const auto* d : all_preconditioners)
    if (d->matrices & kind) others += (others.empty() ? "" : ", ") + std::string(d->name);
  return std::string(preconditioner.name) + " supports " + takes + "; this is a " + is + ", supported by: " + others;
}

}  // namespace

std::span<const PreconditionerDescription* const> preconditioners() { return all_preconditioners; }
std::span<const KrylovDescription* const> krylov_methods() { return all_krylov_methods; }
const PreconditionerDescription* find_preconditioner(std::string_view name) { return found(all_preconditioners, name); }
const KrylovDescription* find_krylov(std::string_view name) { return found(all_krylov_methods, name); }

bool is_made_of_defaults(const PreconditionerDescription& d) {
  return std::ranges::none_of(d.options, [](const Option& o) { return o.is_required(); });
}

double preconditioner_bytes(const std::string& type, const Table& options, const MatrixSize& A) {
  const PreconditionerDescription* d = find_preconditioner(type);
  return d ? d->bytes(options, A) : 0;
}

void refuse_unfit(const Table& options, const std::string& default_method, const std::string& default_preconditioner,
                  unsigned kind, bool is_symmetric) {
  const SolverNames names = read_solver_names(options, default_method, default_preconditioner);
  const KrylovDescription* method = find_krylov(names.method);
  if (method && method->needs_symmetry && !is_symmetric)
    options.fail("method", names.method + " requires a symmetric matrix; the matrix of this system is not symmetric");
  const PreconditionerDescription* d = find_preconditioner(names.preconditioner);
  if (!d || (d->matrices & kind)) return;
  if (names.is_itself) options.fail("method", misfit(*d, kind));
  names.options.fail("type", misfit(*d, kind));
}

template <class Space>
void refuse_matrix(std::string_view preconditioner, const Matrix<Space>& A) {
  const unsigned kind = visit(A, Overloaded{[](const BlockSparse<Space>&) { return on_block_csr; },
                                            [](const Banded<Space>&) { return on_banded; },
                                            [](const BlockStencil<Space>&) { return on_block_stencil; },
                                            [](const Matrix<Space>&) { return on_stencil; }});
  throw Error(Exit::usage, misfit(*find_preconditioner(preconditioner), kind));
}
template void refuse_matrix(std::string_view, const Matrix<Host>&);
template void refuse_matrix(std::string_view, const Matrix<Device>&);

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const std::string& type, const Table& options) {
  const PreconditionerDescription* d = find_preconditioner(type);
  if (!d) options.fail("type", "unknown preconditioner '" + type + "'; known: " + names_of(all_preconditioners));
  if constexpr (std::is_same_v<Space, Host>)
    return d->make_host(options);
  else
    return d->make_device(options);
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_preconditioner(const Table& options) {
  return make_preconditioner<Space>(options.get("type", "none"), options);
}

template <class Space>
std::unique_ptr<Krylov<Space>> Preconditioner<Space>::own_method(const KrylovOptions&) const {
  return nullptr;
}
template std::unique_ptr<Krylov<Host>> Preconditioner<Host>::own_method(const KrylovOptions&) const;
template std::unique_ptr<Krylov<Device>> Preconditioner<Device>::own_method(const KrylovOptions&) const;

template <class Space>
std::unique_ptr<Krylov<Space>> make_krylov(const std::string& method, const KrylovOptions& options) {
  const KrylovDescription* d = find_krylov(method);
  if (!d) throw Error(Exit::usage, "unknown method '" + method + "'; known: " + names_of(all_krylov_methods));
  if constexpr (std::is_same_v<Space, Host>)
    return d->make_host(options);
  else
    return d->make_device(options);
}

template std::unique_ptr<Preconditioner<Host>> make_preconditioner<Host>(const Table&);
template std::unique_ptr<Preconditioner<Device>> make_preconditioner<Device>(const Table&);
template std::unique_ptr<Preconditioner<Host>> make_preconditioner<Host>(const std::string&, const Table&);
template std::unique_ptr<Preconditioner<Device>> make_preconditioner<Device>(const std::string&, const Table&);
template std::unique_ptr<Krylov<Host>> make_krylov<Host>(const std::string&, const KrylovOptions&);
template std::unique_ptr<Krylov<Device>> make_krylov<Device>(const std::string&, const KrylovOptions&);

}  // namespace weir
