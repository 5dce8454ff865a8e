// The linear systems and candidate solvers of the verbs solve, replay and doctor.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/table.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {

struct NamedSolver {
  std::string name;
  Table options;
};
// Solvers of a file: those named by `solvers` (at top level or in [shadow]), in that order; otherwise one per table
// [NAME] or [shadow.NAME]; or one whose keys are at top level. [linear.SYSTEM], the reference solver, is skipped.
std::vector<NamedSolver> solvers_of(const std::string& file);

// f for each system that `name` stands for: a file, or all captured systems of a folder. Returns the largest exit code.
int for_each_system(const std::string& name, const std::function<int(const std::string&)>& f);

// "pressure_00000007_0: pressure of cavity (incompressible), step 7, solve 0, 144 unknowns ...; captured by 'every:7'"
std::string origin_of(const Capsule& capsule);
// "cg + jacobi, 1e-06 relative to |b| in the l2 norm: 36 iterations, converged"
std::string reference_text(const Capsule& capsule);

// The matrix of a captured system in the storage that the run used.
template <class Space>
std::unique_ptr<Matrix<Space>> matrix_of(const Capsule& c) {
  auto A = rebuild_matrix<Space>(c.A);
  if (A->size() != c.size()) throw Error(Exit::file_io, c.path + ": the matrix and the vectors differ in size");
  return A;
}
BlockCsrData rows_of(const Capsule& capsule);  // the same as block rows
// name: a file, a captured system or a generated one; block 0: detected (1 for a generated system).
BlockCsrData read_system(const std::string& name, int block, MarketFaults* faults = nullptr);

// Writes systems in the format "mtx" (NAME.mtx, NAME_b.mtx, NAME_x0.mtx), "petsc" (NAME.petsc: A, b, x0) or "hypre"
// (ls_00000/IJ.out.A, .b, .x0, ...) into `folder`, together with ginkgo.json or hypredrive.yml, which list them; empty
// folder: next to the captured systems. Prints what was written.
void export_capsules(const std::vector<std::string>& paths, const std::string& format, const std::string& folder);

// weir replay SYSTEMS --solvers FILE -o DIR: the captured systems as a run without a flow. The reference solver, which
// is [linear.SYSTEM] of the file or the recorded one, solves them in turn; the candidates are shadow solves
// (miniapps/study/shadow) with their statistics, files and page. Returns the exit code of the run.
int study_captured(const Program& program, const ReplayArguments& arguments, const std::vector<std::string>& capsules);

}  // namespace weir
