// What methods there are, and what is known of each before it meets a matrix. A description stands beside its method's code;
// registry.cpp lists them all. The factories, `info`, the refresh policy, the diagnosis, `weir list` and the reference page
// read them here.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/table.hpp"
#include "solvers/device/space.hpp"

namespace weir {

template <class Space>
class Preconditioner;
template <class Space>
class Krylov;
template <class Space>
class Matrix;
struct KrylovOptions;

// Sets of kinds of matrices.
inline constexpr unsigned on_stencil = 1, on_banded = 2, on_block_stencil = 4, on_block_csr = 8, on_any_matrix = 15;
struct MatrixKind {
  unsigned kind;
  std::string_view name, meaning;
};
inline constexpr MatrixKind matrix_kinds[] = {
    {on_stencil, "stencil", "a sum of Kronecker products on a tensor grid"},
    {on_banded, "banded", "one band a neighbour on a structured grid, coefficients vary"},
    {on_block_stencil, "block stencil", "blocks of unknowns on a structured grid"},
    {on_block_csr, "block CSR", "sparse rows of blocks, of an unstructured mesh"}};

// As estimates of memory go through a matrix.
struct MatrixSize {
  double rows = 0, blocks = 0;  // block rows; blocks stored
  int block = 1, value = 8;     // unknowns a row; bytes of an entry
  bool is_block_stencil = false;
  double entries(double of_blocks) const { return block * block * of_blocks; }
  double unknowns() const { return block * rows; }
  double csr_bytes() const { return entries(blocks) * value + 4 * blocks + 16 * rows; }
};

// What it divides by: the diagonal as it is, or what elimination leaves of it.
enum class DividesBy { nothing, diagonal, pivots };

struct PreconditionerDescription {
  std::string_view name, meaning, citation;  // meaning: one line
  Options options;                           // beside `type`
  unsigned matrices;                         // that it takes
  unsigned over_ranks;  // of those the ones that it takes distributed; any other is gathered on the root rank
  // Of an update, in iterations of gmres: measured on one core of a laminar aerofoil's Newton systems (n = 4, 13 neighbours'
  // worth of iterations a solve); 2 where it was not. The cost of a schedule is flat near its best: half or twice these
  // loses a few percent (solvers/refresh.hpp).
  double update_cost;
  DividesBy divides_by = DividesBy::nothing;
  std::string_view tried_with = {};  // "gmres | bicgstab": what `weir solve` tries it with where no solver is named
  double (*bytes)(const Table& options, const MatrixSize& A);  // about
  std::unique_ptr<Preconditioner<Host>> (*make_host)(const Table& options);
  std::unique_ptr<Preconditioner<Device>> (*make_device)(const Table& options);
};

struct KrylovDescription {
  std::string_view name, meaning, citation;
  Options options;  // beside those of every method (linear_solver_options)
  bool needs_symmetry = false;
  bool is_flexible = false;  // takes a preconditioner that changes from one application to the next
  bool takes_preconditioner = true;
  bool needs_symmetric_preconditioner = false;
  void (*read)(const Table& options, KrylovOptions&) = nullptr;  // its own keys
  double (*vectors)(const KrylovOptions&);                       // of the size of the unknowns that it keeps
  std::string (*label)(const KrylovOptions&) = nullptr;          // "gmres(30)"; null: its name
  std::unique_ptr<Krylov<Host>> (*make_host)(const KrylovOptions&);
  std::unique_ptr<Krylov<Device>> (*make_device)(const KrylovOptions&);
};

// Each defined beside its method.
namespace preconditioner {
extern const PreconditionerDescription none, jacobi, block_jacobi, sgs, block_ilu0, line, multicolor, async_ilu0,
    async_block_ilu0, parilu, parilut, fast_poisson, multigrid, aggregation, additive_schwarz, plugin, python;
}
namespace krylov {
extern const KrylovDescription cg, bicgstab, gmres, pipelined_cg, pipelined_bicgstab, fgmres, correction, chebyshev,
    bicgstab_l, idrs, refinement;
}

// All of them, in the order of lists and of the reference.
std::span<const PreconditionerDescription* const> preconditioners();
std::span<const KrylovDescription* const> krylov_methods();

// Null where there is none of that name.
const PreconditionerDescription* find_preconditioner(std::string_view name);
const KrylovDescription* find_krylov(std::string_view name);

// The keys of [linear.SYSTEM] that every method has; those of `preconditioner` beside `type` are its own.
Options linear_solver_options();

// Whether no key of its options is required.
bool is_made_of_defaults(const PreconditionerDescription& d);

// What [linear.SYSTEM] names. Error(usage) where that cannot work.
struct SolverNames {
  std::string method, preconditioner;
  std::string label;       // "gmres+sgs", "gmres+plugin:libmine"
  bool is_itself = false;  // the method is the preconditioner
  Table options;           // of the preconditioner
};
SolverNames read_solver_names(const Table& options, const std::string& default_method,
                              const std::string& default_preconditioner);

// Error(usage) at its key where the solver that a table [linear.SYSTEM] names does not take this kind of matrices, or needs
// symmetric ones and these are not.
void refuse_unfit(const Table& options, const std::string& default_method, const std::string& default_preconditioner,
                  unsigned kind, bool is_symmetric);
// Error(usage): "line takes block CSR; this is a stencil matrix (a sum of ...), which these take: jacobi, ..."
template <class Space>
[[noreturn]] void refuse_matrix(std::string_view preconditioner, const Matrix<Space>& A);

// A as the kind of matrix that the preconditioner takes; refused where it is another.
template <class Kind, class Space>
const Kind& taken_as(const Matrix<Space>& A, std::string_view preconditioner) {
  if (const auto* kind = dynamic_cast<const Kind*>(&A)) return *kind;
  refuse_matrix(preconditioner, A);
}

// Keys and where their values go: read_keys(t, "pre", o.pre, "post", o.post).
template <class T, class... More>
void read_keys(const Table& t, std::string_view key, T& to, More&&... more) {
  to = t.get<T>(key);
  if constexpr (sizeof...(more) > 0) read_keys(t, more...);
}

// Memory, about: of a preconditioner; of all that a table [linear.SYSTEM] names.
double preconditioner_bytes(const std::string& type, const Table& options, const MatrixSize& A);
double linear_solver_bytes(const Table& options, const std::string& default_method,
                           const std::string& default_preconditioner, const MatrixSize& A);

}  // namespace weir
