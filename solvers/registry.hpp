// Descriptions of all methods and preconditioners. Each is defined next to the method's code and listed in
// registry.cpp. Used by the factories, `info`, the refresh policy, the diagnosis, `weir list` and the reference page.
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

// Bits of a set of matrix kinds.
inline constexpr unsigned on_stencil = 1, on_banded = 2, on_block_stencil = 4, on_block_csr = 8, on_any_matrix = 15;
struct MatrixKind {
  unsigned kind;
  std::string_view name, meaning;
};
inline constexpr MatrixKind matrix_kinds[] = {
    {on_stencil, "stencil", "a sum of Kronecker products on a tensor grid"},
    {on_banded, "banded", "one band per neighbour on a structured grid, variable coefficients"},
    {on_block_stencil, "block stencil", "blocks of unknowns on a structured grid"},
    {on_block_csr, "block CSR", "sparse rows of blocks, on an unstructured mesh"}};

struct MatrixSize {
  double rows = 0, blocks = 0;  // block rows; stored blocks
  int block = 1, value = 8;     // unknowns per row; bytes per entry
  bool is_block_stencil = false;
  double entries(double of_blocks) const { return block * block * of_blocks; }
  double unknowns() const { return block * rows; }
  double csr_bytes() const { return entries(blocks) * value + 4 * blocks + 16 * rows; }
};

// Which blocks the method inverts: none, the diagonal blocks of A, or the pivots of the factorisation.
enum class DividesBy { nothing, diagonal, pivots };

struct PreconditionerDescription {
  std::string_view name, meaning, citation;  // meaning: one line
  Options options;                           // in addition to `type`
  unsigned matrices;                         // supported matrix kinds
  unsigned over_ranks;                       // those supported over ranks; others are gathered on rank 0
  // Cost of an update in gmres iterations, measured on one core for Newton systems of a laminar aerofoil (n = 4, 13
  // neighbours); 2 if not measured. The cost of a schedule is flat near its optimum: a factor of two here loses a few
  // per cent (solvers/refresh.hpp).
  double update_cost;
  DividesBy divides_by = DividesBy::nothing;
  // "gmres | bicgstab": methods that `weir solve` tries with it if no solver is given
  std::string_view tried_with = {};
  double (*bytes)(const Table& options, const MatrixSize& A);  // approximate
  std::unique_ptr<Preconditioner<Host>> (*make_host)(const Table& options);
  std::unique_ptr<Preconditioner<Device>> (*make_device)(const Table& options);
};

struct KrylovDescription {
  std::string_view name, meaning, citation;
  Options options;  // in addition to linear_solver_options
  bool needs_symmetry = false;
  bool is_flexible = false;  // allows a preconditioner that changes between applications
  bool takes_preconditioner = true;
  bool needs_symmetric_preconditioner = false;
  void (*read)(const Table& options, KrylovOptions&) = nullptr;  // reads its own keys
  double (*vectors)(const KrylovOptions&);                       // number of vectors of the size of the unknowns
  std::string (*label)(const KrylovOptions&) = nullptr;          // "gmres(30)"; null: the name
  std::unique_ptr<Krylov<Host>> (*make_host)(const KrylovOptions&);
  std::unique_ptr<Krylov<Device>> (*make_device)(const KrylovOptions&);
};

// Descriptions of the preconditioners, each defined in the source of its method.
namespace preconditioner {
extern const PreconditionerDescription none, jacobi, block_jacobi, sgs, block_ilu0, line, multicolor, async_ilu0,
    async_block_ilu0, parilu, parilut, fast_poisson, capacitance, multigrid, aggregation, additive_schwarz, plugin,
    python;
}
namespace krylov {
extern const KrylovDescription cg, bicgstab, gmres, pipelined_cg, pipelined_bicgstab, fgmres, correction, chebyshev,
    bicgstab_l, idrs, refinement;
}

// All of them, in the order of lists and of the reference.
std::span<const PreconditionerDescription* const> preconditioners();
std::span<const KrylovDescription* const> krylov_methods();

// Null: unknown name.
const PreconditionerDescription* find_preconditioner(std::string_view name);
const KrylovDescription* find_krylov(std::string_view name);

// Keys of [linear.SYSTEM] common to all methods; those of `preconditioner` besides `type` are its own.
Options linear_solver_options();

// Whether the preconditioner can be made from an empty table: it has no required key.
bool is_made_of_defaults(const PreconditionerDescription& d);

// The solver named by [linear.SYSTEM]. Throws Error(usage) for impossible combinations.
struct SolverNames {
  std::string method, preconditioner;
  std::string label;        // "gmres+sgs", "gmres+plugin:libmine"
  bool is_itself = false;   // the method is the preconditioner
  bool is_library = false;  // the method is a solver of another library
  Table options;            // of the preconditioner
};
SolverNames read_solver_names(const Table& options, const std::string& default_method,
                              const std::string& default_preconditioner);

// Solvers of other libraries as the method: "petsc:-ksp_type gmres -pc_type ilu". Programs that link the adapters
// (solvers/adapters/library_solver.cu) have them. options: [linear.SYSTEM], for errors at its keys. The result has a
// method of its own and no application.
template <class Space>
using MakeLibrarySolver = std::unique_ptr<Preconditioner<Space>> (*)(const std::string& method, const Table& options,
                                                                     const KrylovOptions& krylov);
struct LibrarySolvers {
  bool (*knows)(const std::string& method) = nullptr;
  MakeLibrarySolver<Host> make_host = nullptr;
  MakeLibrarySolver<Device> make_device = nullptr;
};
inline LibrarySolvers library_solvers;
inline bool is_library_solver(const std::string& method) {
  return library_solvers.knows && library_solvers.knows(method);
}

// Throws Error(usage) at its key if the solver named by a table [linear.SYSTEM] does not support this matrix kind, or
// requires symmetric matrices and these are not.
void refuse_unfit(const Table& options, const std::string& default_method, const std::string& default_preconditioner,
                  unsigned kind, bool is_symmetric);
// Error(usage): "line supports block CSR; this is a stencil matrix (a sum of ...), supported by: jacobi, ..."
template <class Space>
[[noreturn]] void refuse_matrix(std::string_view preconditioner, const Matrix<Space>& A);

// A as the matrix kind that the preconditioner supports; otherwise an Error.
template <class Kind, class Space>
const Kind& taken_as(const Matrix<Space>& A, std::string_view preconditioner) {
  if (const auto* kind = dynamic_cast<const Kind*>(&A)) return *kind;
  refuse_matrix(preconditioner, A);
}

// Reads keys into values: read_keys(t, "pre", o.pre, "post", o.post).
template <class T, class... More>
void read_keys(const Table& t, std::string_view key, T& to, More&&... more) {
  to = t.get<T>(key);
  if constexpr (sizeof...(more) > 0) read_keys(t, more...);
}

// Approximate memory of a preconditioner, and of all parts of the solver that a table [linear.SYSTEM] names.
double preconditioner_bytes(const std::string& type, const Table& options, const MatrixSize& A);
double linear_solver_bytes(const Table& options, const std::string& default_method,
                           const std::string& default_preconditioner, const MatrixSize& A);

}  // namespace weir
