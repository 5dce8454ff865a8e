// Common interface of the solvers of other libraries: solves A d = r from a zero guess until the l2 norm of r - A d
// is at most `target`. Peers run on the host. The caller checks their results (library_solver.cu).
//   petsc:OPTIONS   KSP and PC by PETSc's own options: "petsc:-ksp_type gmres -pc_type ilu"
//   hypre:WORDS     cg, bicgstab, gmres or fgmres with boomeramg, ilu, ilut, jacobi: "hypre:cg+boomeramg"; or boomeramg
//   eigen:WORDS     "eigen:bicgstab+ilut", "eigen:bicgstab+jacobi", "eigen:cg+jacobi", "eigen:sparse_lu";
//                   "eigen:bicgstab+ilut:1e-3:5": its drop tolerance and fill factor
//   suitesparse:WORD   "suitesparse:cholmod" for symmetric positive definite matrices, "suitesparse:umfpack" for any
//   amgcl:WORDS     cg or bicgstab with smoothed_aggregation or ruge_stuben: "amgcl:cg+smoothed_aggregation"
//   ginkgo:WORDS    cg, bicgstab or gmres with jacobi, ilu, parilu, parilut or multigrid: "ginkgo:bicgstab+parilut"
//   cudss:WORD      "cudss:cholesky", "cudss:lu", in CUDA builds; compiled, not yet run
//   amgx:WORDS      cg, bicgstab or fgmres with aggregation or classical, in CUDA builds; compiled, not yet run
// PETSc and hypre run over ranks. SuiteSparse, amgcl, cuDSS and AMGX accept systems with the constants as null space.
// A library that was not found when Weir was built is refused (peer.cpp).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

struct PeerSolve {
  int iterations = 0;  // as counted in the method's paper; 1 for a direct solver
  Reason reason = Reason::breakdown;
};
// The outcome of an iterative method that did or did not reach its target.
inline PeerSolve outcome(int iterations, bool is_reached, int max_iterations) {
  if (is_reached) return {iterations, Reason::converged};
  return {iterations, iterations >= max_iterations ? Reason::max_iterations : Reason::breakdown};
}

class Peer {
 public:
  Peer() = default;
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  // Called before setup on each of several ranks, if runs_over_ranks: A then has the rows of this rank, which follow
  // those of the ranks before, with global columns; r and d are the parts of this rank. mpi_comm: address of the
  // MPI_Comm. All other functions are then collective, and a result may differ between ranks in its reason only.
  virtual void run_over(const void* /*mpi_comm*/) {}
  virtual void setup(const BlockCsrData& A) = 0;   // once per pattern
  virtual void update(const BlockCsrData& A) = 0;  // new values, same pattern: keeps what the library can keep
  // Writes all of d. iterations >= 1.
  virtual PeerSolve solve(std::span<const double> r, double target, int max_iterations, std::span<double> d) = 0;
  virtual std::string describe() const = 0;
};

struct PeerName {
  std::string library, what;  // "petsc", "-ksp_type gmres -pc_type ilu"
};
bool is_peer(const std::string& method);  // starts with a library name and a colon
PeerName peer_name(const std::string& method);

// Throws Error(usage) if the words are unknown or the library is not in this build. Of the options, restart is used.
std::unique_ptr<Peer> make_peer(const std::string& method, const KrylovOptions& options);
std::vector<std::string> peer_libraries();  // libraries in this build
bool runs_over_ranks(const std::string& library);

// One factory per library.
struct PeerLibrary {
  const char* name;
  bool is_there;
  std::function<std::unique_ptr<Peer>(const std::string& what, const KrylovOptions& options)> make;
};
PeerLibrary absent_library(const char* name);  // not in this build: its `make` refuses
PeerLibrary petsc_library();
PeerLibrary hypre_library();
PeerLibrary eigen_library();
PeerLibrary suitesparse_library();
PeerLibrary amgcl_library();
PeerLibrary ginkgo_library();
PeerLibrary cudss_library();
PeerLibrary amgx_library();

// The words of "a+b"; refuse_peer: an Error(usage) that lists the known ones.
std::vector<std::string> peer_words(const std::string& what);
[[noreturn]] void refuse_peer(const std::string& library, const std::string& what, const std::string& known);

std::int64_t heap_bytes();  // heap in use, to measure the memory of a library's set-up
double l2_norm(std::span<const double> v);

}  // namespace weir
