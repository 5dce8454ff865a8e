// PETSc in one process: KSP with geometric multigrid on a DMDA or with any PC on an assembled matrix, and the kernels
// of block ILU(0) (MatLUFactorNumeric, MatSolve, MatMult). The set-up begins with the coefficients and ends with
// KSPSetUp.
#include <petscdmda.h>
#include <petscksp.h>

#include <algorithm>

#include "base/error.hpp"
#include "solvers/adapters/mpi_once.hpp"
#include "tests/benchmarks/peers/peer.hpp"

namespace weir::bench {
namespace {

using Index = std::size_t;

void check(PetscErrorCode code) {
  if (code) throw Error(Exit::solver_failed, "PETSc fails with code " + std::to_string(code));
}

// Every `factor`-th face of a direction: its cells merged.
SeparableDirection direction_of(const std::vector<double>& faces, Index factor) {
  std::vector<double> coarse;
  for (Index i = 0; i < faces.size(); i += factor) coarse.push_back(faces[i]);
  return cell_centred_direction(coarse, EndCondition::neumann, EndCondition::neumann);
}

// Rows of any level; the finest level's are given.
std::vector<double> rows_of(const SevenPoint& p, const std::array<int, 3>& n) {
  std::array<SeparableDirection, 3> d;
  for (Index a = 0; a < 3; ++a) d[a] = direction_of(p.faces[a], (p.faces[a].size() - 1) / Index(n[a]));
  std::vector<double> values;
  values.reserve(7 * Index(n[0]) * Index(n[1]) * Index(n[2]));
  for (Index k = 0; k < Index(n[2]); ++k)
    for (Index j = 0; j < Index(n[1]); ++j)
      for (Index i = 0; i < Index(n[0]); ++i) {
        const double x = d[0].mass[i], y = d[1].mass[j], z = d[2].mass[k];
        const double to[6] = {y * z * d[0].lower[i], y * z * d[0].upper[i], x * z * d[1].lower[j],
                              x * z * d[1].upper[j], x * y * d[2].lower[k], x * y * d[2].upper[k]};
        values.push_back(to[0] + to[1] + to[2] + to[3] + to[4] + to[5]);
        for (const double v : to) values.push_back(-v);
      }
  return values;
}

void set_null_space(Mat A) {
  MatNullSpace constants;
  check(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constants));
  check(MatSetNullSpace(A, constants));
  check(MatNullSpaceDestroy(&constants));
}

// PETSc asks for the operator of every level, and for the right-hand side. On one process the DMDA's order is the
// natural one, so rows go in by their numbers.
PetscErrorCode operator_of(KSP ksp, Mat, Mat A, void* context) {
  const auto& p = *static_cast<const SevenPoint*>(context);
  DM dm;
  check(KSPGetDM(ksp, &dm));
  DMDALocalInfo info;
  check(DMDAGetLocalInfo(dm, &info));
  const std::array<int, 3> n{info.mx, info.my, info.mz};
  const std::vector<double> coarse = n == p.cells ? std::vector<double>{} : rows_of(p, n);
  const double* row = n == p.cells ? p.values.data() : coarse.data();
  const PetscInt offset[7] = {0, -1, 1, -n[0], n[0], -n[0] * n[1], n[0] * n[1]}, ascending[7] = {5, 3, 1, 0, 2, 4, 6};
  for (PetscInt c = 0; c < n[0] * n[1] * n[2]; ++c, row += 7) {
    PetscInt columns[7], count = 0;
    double values[7];
    for (const PetscInt e : ascending) {
      if (row[e] == 0) continue;
      columns[count] = c + offset[e];
      values[count++] = row[e];
    }
    check(MatSetValues(A, 1, &c, count, columns, values, INSERT_VALUES));
  }
  check(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  if (p.singular) set_null_space(A);
  return 0;
}

PetscErrorCode right_hand_side(KSP, Vec b, void* context) {
  const auto& p = *static_cast<const SevenPoint*>(context);
  double* values;
  check(VecGetArray(b, &values));
  std::copy(p.b.begin(), p.b.end(), values);
  return VecRestoreArray(b, &values);
}

void begin(const std::string& options) {
  begin_mpi_once();
  check(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  check(PetscInitializeNoArguments());
  check(PetscOptionsInsertString(nullptr, options.c_str()));
}

void take(Measured& m, KSP ksp, Vec x, Index size) {
  PetscInt iterations = 0;
  check(KSPGetIterationNumber(ksp, &iterations));
  m.iterations = static_cast<int>(iterations);
  const double* values;
  check(VecGetArrayRead(x, &values));
  m.x.assign(values, values + size);
  check(VecRestoreArrayRead(x, &values));
}

void set_end(KSP ksp, double tolerance, const PeerTask& task) {
  const bool counted = task.iterations > 0;
  check(KSPSetTolerances(ksp, counted ? 1e-300 : tolerance, 0, PETSC_DEFAULT, counted ? task.iterations : 500));
}

void multigrid(const SevenPoint& p, const PeerTask& task, Measured& m) {
  const auto& n = p.cells;
  int levels = 1;
  for (int q = std::min({n[0], n[1], n[2]}); q % 2 == 0 && q > 4; q /= 2) ++levels;
  check(PetscOptionsSetValue(nullptr, "-pc_mg_levels", std::to_string(levels).c_str()));
  KSP ksp;
  Vec x = nullptr;
  const auto setup = [&] {
    DM dm;
    check(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n[0],
                       n[1], n[2], 1, 1, 1, 1, 1, nullptr, nullptr, nullptr, &dm));
    check(DMDASetInterpolationType(dm, DMDA_Q0));  // cell-centred
    check(DMSetUp(dm));
    check(KSPCreate(PETSC_COMM_SELF, &ksp));
    check(KSPSetDM(ksp, dm));
    check(KSPSetComputeOperators(ksp, operator_of, const_cast<SevenPoint*>(&p)));
    check(KSPSetComputeRHS(ksp, right_hand_side, const_cast<SevenPoint*>(&p)));
    check(KSPSetType(ksp, KSPCG));
    check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    set_end(ksp, p.tolerance, task);
    check(KSPSetFromOptions(ksp));
    check(KSPSetUp(ksp));
  };
  measure_solver(m, {setup, [] {}, [&] { check(KSPSolve(ksp, nullptr, nullptr)); }}, task.repeats);
  check(KSPGetSolution(ksp, &x));
  take(m, ksp, x, p.b.size());
}

// The matrix type is the options' (-mat_type), else AIJ or BAIJ.
Mat assembled(const BlockCsrData& A) {
  std::vector<PetscInt> lengths;
  for (Index i = 0; i < Index(A.rows()); ++i)
    lengths.push_back(static_cast<PetscInt>(A.row_start[i + 1] - A.row_start[i]));
  const PetscInt B = A.block, n = A.rows() * B;
  Mat M;
  check(MatCreate(PETSC_COMM_SELF, &M));
  check(MatSetSizes(M, n, n, n, n));
  check(MatSetBlockSize(M, B));
  check(MatSetType(M, B == 1 ? MATSEQAIJ : MATSEQBAIJ));
  check(MatSetFromOptions(M));
  check(MatXAIJSetPreallocation(M, B, lengths.data(), nullptr, lengths.data(), nullptr));
  PetscBool keeps_upper = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(M), MATSEQSBAIJ, &keeps_upper));
  if (keeps_upper) check(MatSetOption(M, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < A.rows(); ++i) {
    const auto from = A.row_start[Index(i)], to = A.row_start[Index(i) + 1];
    if (B == 1)
      check(MatSetValues(M, 1, &i, static_cast<PetscInt>(to - from), A.column.data() + from, A.value.data() + from,
                         INSERT_VALUES));
    for (auto e = from; B > 1 && e < to; ++e)
      check(MatSetValuesBlocked(M, 1, &i, 1, A.column.data() + e, A.value.data() + e * B * B, INSERT_VALUES));
  }
  check(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  if (A.constant_null_space) set_null_space(M);
  return M;
}

void krylov(const BlockCsrData& A, const std::vector<double>& right, double tolerance, const PeerTask& task,
            Measured& m) {
  KSP ksp;
  Vec b, x;
  const auto setup = [&] {
    Mat M = assembled(A);
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, A.block, static_cast<PetscInt>(right.size()), right.data(), &b));
    check(VecDuplicate(b, &x));
    check(KSPCreate(PETSC_COMM_SELF, &ksp));
    check(KSPSetOperators(ksp, M, M));
    check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    set_end(ksp, tolerance, task);
    check(KSPSetFromOptions(ksp));
    check(KSPSetUp(ksp));
    check(KSPSetUpOnBlocks(ksp));
  };
  measure_solver(m, {setup, [&] { check(VecSet(x, 0)); }, [&] { check(KSPSolve(ksp, b, x)); }}, task.repeats);
  take(m, ksp, x, right.size());
}

Mat assembled(const test::BlockSystem& system) {
  const BlockStencilView A = system.view();
  const PetscInt n = A.n, rows = system.cells.count();
  Mat M;
  check(MatCreate(PETSC_COMM_SELF, &M));
  check(MatSetSizes(M, rows * n, rows * n, rows * n, rows * n));
  check(MatSetBlockSize(M, n));
  check(MatSetType(M, MATSEQBAIJ));
  check(MatSetFromOptions(M));
  const std::vector<PetscInt> lengths(Index(rows), 7);
  check(MatXAIJSetPreallocation(M, n, lengths.data(), nullptr, nullptr, nullptr));
  check(MatSetOption(M, MAT_ROW_ORIENTED, PETSC_FALSE));  // blocks come column by column
  for (PetscInt c = 0; c < rows; ++c)
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const PetscInt to = A.neighbour(c, s);
      if (to >= 0) check(MatSetValuesBlocked(M, 1, &c, 1, &to, A.block(c, s), INSERT_VALUES));
    }
  check(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  return M;
}

void ilu_kernels(const test::BlockSystem& system, const PeerTask& task, Measured& m) {
  Watch watch(m);
  Mat A = assembled(system), F;
  IS natural;
  const auto size = static_cast<PetscInt>(system.b.size());
  check(ISCreateStride(PETSC_COMM_SELF, size, 0, 1, &natural));
  check(ISSetPermutation(natural));
  MatFactorInfo info;
  check(MatFactorInfoInitialize(&info));
  info.levels = 0;
  info.fill = 1;
  info.diagonal_fill = 0;
  check(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_ILU, &F));
  check(MatILUFactorSymbolic(F, A, natural, natural, &info));
  Vec b, x, y;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, system.b.data(), &b));
  check(VecDuplicate(b, &x));
  check(VecDuplicate(b, &y));
  measure_work(m, "factor", task.repeats, [&] { check(MatLUFactorNumeric(F, A, &info)); });
  measure_work(m, "solve", 3 * task.repeats, [&] { check(MatSolve(F, b, x)); });
  measure_work(m, "residual", 3 * task.repeats, [&] { check(MatResidual(A, b, x, y)); });
  const PetscScalar* values;
  check(VecGetArrayRead(x, &values));
  m.x.assign(values, values + size);
}

// "mg -a 1 -b 2": the word and PETSc's options.
std::pair<std::string, std::string> cut(const std::string& settings) {
  const auto space = settings.find(' ');
  return {settings.substr(0, space), space == std::string::npos ? "" : settings.substr(space + 1)};
}

}  // namespace

// The process ends with the measurement: nothing is destroyed.
extern "C" void weir_measure_peer(const PeerProblem& problem, const PeerTask& task, Measured& m) {
  const auto [what, options] = cut(task.settings);
  begin(options);
  PetscInt major = 0, minor = 0, subminor = 0;
  check(PetscGetVersionNumber(&major, &minor, &subminor, nullptr));
  m.library = "PETSc " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor);
  if (what == "mg" && problem.seven && problem.seven->separable) return multigrid(*problem.seven, task, m);
  if (what == "ksp" && problem.seven)
    return krylov(to_csr(*problem.seven), problem.seven->b, problem.seven->tolerance, task, m);
  if (what == "ksp" && problem.csr) return krylov(*problem.csr, *problem.b, 0, task, m);
  if (what == "ilu" && problem.blocks) return ilu_kernels(*problem.blocks, task, m);
  throw Error(Exit::usage, "petsc: '" + what + "' is not for this system");
}

}  // namespace weir::bench
