#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/matrix/row_error.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_csr.hpp"
#include "solvers/preconditioner/block_ilu0/block_ilu0_factors.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

std::string cell_name(Extents e, int cell) {
  return "cell (" + std::to_string(cell % e.nx) + ", " + std::to_string(cell / e.nx % e.ny) + ", " +
         std::to_string(cell / (e.nx * e.ny)) + ")";
}

// The first cell with a value that is not finite in a block in use, or -1.
int first_not_finite(const BlockStencilView& A) {
  for (int c = 0; c < A.cells.count(); ++c)
    for (int s = A.first; s < A.first + A.slots; ++s) {
      const double* block = A.block(c, s);
      if (A.neighbour(c, s) >= 0 &&
          !std::all_of(block, block + A.block_entries(), [](double v) { return std::isfinite(v); }))
        return c;
    }
  return -1;
}

// In a ring of three cells each pair are neighbours: ILU(0) would then change off-diagonal blocks too. In a ring of
// two, each cell is the neighbour of the other on both sides.
void refuse_short_rings(Extents e, Periodic periodic) {
  const auto refuse = [](const char* direction, bool wraps, int cells) {
    if (wraps && cells > 1 && cells < 4)
      throw Error(Exit::usage, std::string("block_ilu0: the periodic direction ") + direction + " has " +
                                   std::to_string(cells) + " cells; at least 4 are needed");
  };
  refuse("x", periodic.x, e.nx);
  refuse("y", periodic.y, e.ny);
  refuse("z", periodic.z, e.nz);
}

// Error for a matrix whose factorisation failed at this cell.
template <class Space>
[[noreturn]] void fail_at_cell(const BlockStencil<Space>& A, int cell, bool pivoting) {
  std::vector<double> values(static_cast<std::size_t>(A.entries()));
  A.download(values);
  const BlockStencilView view = A.stencil().on(values.data());
  const int culprit = first_not_finite(view);
  if (culprit >= 0)
    throw RowError(Exit::not_finite, "block_ilu0: the matrix has NaN or Inf in the row of ", culprit,
                   cell_name(view.cells, culprit), "");
  throw RowError(Exit::solver_failed, "block_ilu0: the diagonal block of ", cell, cell_name(view.cells, cell),
                 std::string(" became singular in the factorisation") + (pivoting ? "" : "; pivoting = true may help"));
}

// Number of blocks that join two different cells.
template <class Space>
std::int64_t links(const BlockStencil<Space>& A) {
  const Extents e = A.cells();
  const Periodic p = A.periodic();
  const std::int64_t nx = e.nx, ny = e.ny, nz = e.nz;
  const auto pairs = [](std::int64_t n, bool wraps) { return n > 1 && wraps ? n : n - 1; };
  return 2 * (pairs(nx, p.x) * ny * nz + nx * pairs(ny, p.y) * nz + nx * ny * pairs(nz, p.z));
}

// Factors of a 7-point block matrix.
template <class Space, class T>
class StencilIlu0 final : public IluFactors<Space> {
 public:
  StencilIlu0(const BlockStencil<Space>& A, const BlockIluOptions& options)
      : A_(&A), pivoting_(options.pivoting), factors_(A, options) {}

  bool fit(const Matrix<Space>& A) const override {
    const auto* stencil = dynamic_cast<const BlockStencil<Space>*>(&A);
    return stencil && stencil->cells() == A_->cells() && stencil->block() == A_->block() &&
           stencil->periodic() == A_->periodic();
  }
  void factorise(const Matrix<Space>& A) override {
    A_ = &dynamic_cast<const BlockStencil<Space>&>(A);
    const FailedCell cell = factors_.factorise(A_->stencil());
    if (cell >= 0) fail_at_cell(*A_, cell, pivoting_);
  }
  using IluFactors<Space>::solve;
  void solve(const double* r, double* z) override { factors_.solve(A_->stencil(), r, z); }
  SetupInfo info() const override {
    return {.levels = factors_.levels(), .nnz = A_->entries(), .bytes = factors_.bytes()};
  }
  // d_p^-1 is needed in both sweeps of (2), every other block in one.
  Work solve_work() const override {
    const std::int64_t n = A_->block(), cells = A_->rows(), value = sizeof(T);
    return {n * n * (8 * links(*A_) + 2 * value * cells) + 4 * 8 * n * cells, 2 * n * n * (links(*A_) + 2 * cells)};
  }
  // (1): two products per link towards smaller cells, one inversion per cell, 2 n^3 operations each.
  Work factorise_work() const override {
    const std::int64_t n = A_->block(), cells = A_->rows(), value = sizeof(T);
    return {n * n * (8 * (links(*A_) + cells) + value * cells), 2 * n * n * n * (links(*A_) + cells)};
  }
  std::string order() const override { return "natural order"; }
  std::vector<double> inverted_diagonals() const override {
    const std::vector<T> inverted = factors_.inverted();
    return {inverted.begin(), inverted.end()};
  }

 private:
  const BlockStencil<Space>* A_;
  bool pivoting_;
  BlockIluFactors<Space, T> factors_;
};

}  // namespace

template <class Space>
BlockIlu0<Space>::BlockIlu0(const BlockIluOptions& options)
    : Preconditioner<Space>({.keeps_symmetry = true,
                             .takes_floats = true,
                             .storage = options.float_factors ? StoredAs::float32 : StoredAs::float64}),
      options_(options) {}

template <class Space>
template <class T>
std::unique_ptr<IluFactors<Space>> BlockIlu0<Space>::factors_of(const Matrix<Space>& A) const {
  if (const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A))
    return std::make_unique<CsrIlu0<Space, T>>(*csr, options_);
  const auto* stencil = dynamic_cast<const BlockStencil<Space>*>(&A);
  if (!stencil || options_.only_lines) refuse_matrix(options_.only_lines ? "line" : "block_ilu0", A);
  refuse_short_rings(stencil->cells(), stencil->periodic());
  return std::make_unique<StencilIlu0<Space, T>>(*stencil, options_);
}

template <class Space>
SetupInfo BlockIlu0<Space>::do_setup(const Matrix<Space>& A) {
  factors_.reset();  // frees the memory before the next allocation
  factors_ = options_.float_factors ? factors_of<float>(A) : factors_of<double>(A);
  return do_update(A);
}

template <class Space>
SetupInfo BlockIlu0<Space>::do_update(const Matrix<Space>& A) {
  if (!factors_ || !factors_->fit(A)) return do_setup(A);
  factors_->factorise(A);
  return factors_->info();
}

template <class Space>
std::string BlockIlu0<Space>::describe() const {
  return (options_.only_lines ? "line" : "block ILU(0)") + (factors_ ? ", " + factors_->order() : "") +
         (options_.pivoting ? ", pivoting" : "") + (options_.float_factors ? ", single-precision factors" : "");
}

namespace {

constexpr Option block_ilu0_keys[] = {
    factor_storage,
    factor_pivoting,
    {"form", Option::text, "automatic", "former choice of the device kernels, without effect",
     "automatic | one_launch | workgroup | entry"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_ilu0(const Table& options) {
  const Table t = options.described_by(block_ilu0_keys);
  BlockIluOptions o;
  t.get<std::string>("form");
  o.pivoting = t.get<bool>("pivoting");
  o.float_factors = t.get<std::string>("storage") == "float";
  return std::make_unique<BlockIlu0<Space>>(o);
}

}  // namespace

// Block CSR: the factors; per off-diagonal block its column, for half of them the places of the products; lists of
// rows.
double block_ilu0_bytes(const Table& options, const MatrixSize& A) {
  const int value = options.described_by(block_ilu0_keys).get<std::string>("storage") == "float" ? 4 : 8;
  if (A.is_block_stencil) return value * A.entries(A.rows);  // d_p^-1 alone
  return value * A.entries(A.blocks) + (4 + 16 / 2) * (A.blocks - A.rows) + 48 * A.rows;
}

constexpr PreconditionerDescription preconditioner::block_ilu0{.name = "block_ilu0",
                                                               .meaning = "exact block ILU(0) in the order of the rows",
                                                               .citation = "Luo, Edwards, Luo & Mueller 2015",
                                                               .options = block_ilu0_keys,
                                                               .matrices = on_banded | on_block_stencil | on_block_csr,
                                                               .over_ranks = 0,
                                                               .update_cost = 1.3,
                                                               .divides_by = DividesBy::pivots,
                                                               .tried_with = "gmres | bicgstab | idrs",
                                                               .bytes = block_ilu0_bytes,
                                                               .make_host = make_block_ilu0<Host>,
                                                               .make_device = make_block_ilu0<Device>};

template class BlockIlu0<Host>;
template class BlockIlu0<Device>;

}  // namespace weir
