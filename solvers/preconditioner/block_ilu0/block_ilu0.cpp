#include "solvers/preconditioner/block_ilu0/block_ilu0.hpp"

#include <algorithm>
#include <cmath>

#include "base/timer.hpp"
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

// The first cell with a value that is not finite in a block that is used, or -1.
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

// Between three cells in a ring each pair are neighbours: ILU(0) then changes the blocks off the diagonal too. And of
// two cells each is the other's neighbour on both sides.
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

// What is wrong with a block CSR matrix whose factorisation failed at this row.
template <class Space>
[[noreturn]] void fail_at_row(const BlockSparse<Space>& A, int row, bool pivoting) {
  const std::vector<double> values = A.to_values();
  const std::vector<std::int64_t> start = A.row_start().to_vector();
  const std::int64_t nn = std::int64_t{A.block()} * A.block();
  for (int i = 0; i < A.rows(); ++i)
    if (!std::all_of(values.begin() + start[static_cast<std::size_t>(i)] * nn,
                     values.begin() + start[static_cast<std::size_t>(i) + 1] * nn,
                     [](double v) { return std::isfinite(v); }))
      throw RowError(Exit::not_finite, "block_ilu0: the matrix has NaN or Inf in ", i, "");
  throw RowError(Exit::solver_failed, "block_ilu0: the diagonal block of ", row,
                 std::string(" became singular in the factorisation") + (pivoting ? "" : "; pivoting = true may help"));
}

}  // namespace

const char* to_string(BlockIluForm form) {
  switch (form) {
    case BlockIluForm::entry:
      return "entry";
    case BlockIluForm::workgroup:
      return "workgroup";
    case BlockIluForm::one_launch:
      return "one_launch";
    default:
      return "automatic";
  }
}

template <class Space>
BlockIlu0<Space>::BlockIlu0(const BlockIluOptions& options)
    : Preconditioner<Space>({.keeps_symmetry = true,
                             .takes_floats = true,
                             .storage = options.float_factors ? StoredAs::float32 : StoredAs::float64}),
      options_(options) {}
template <class Space>
BlockIlu0<Space>::~BlockIlu0() = default;

template <class Space>
SetupInfo BlockIlu0<Space>::setup(const Matrix<Space>& A) {
  in_double_.reset();
  in_float_.reset();
  csr_double_.reset();
  csr_float_.reset();
  A_ = nullptr;
  if (const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A)) return setup_csr(*csr);
  A_ = dynamic_cast<const BlockStencil<Space>*>(&A);
  if (!A_) refuse_matrix("block_ilu0", A);
  refuse_short_rings(A_->cells(), A_->periodic());
  if (options_.float_factors)
    in_float_ = std::make_unique<BlockIluFactors<Space, float>>(*A_, options_);
  else
    in_double_ = std::make_unique<BlockIluFactors<Space, double>>(*A_, options_);
  return update(A);
}

template <class Space>
SetupInfo BlockIlu0<Space>::update(const Matrix<Space>& A) {
  if (const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A)) return update_csr(*csr);
  const auto* stencil = dynamic_cast<const BlockStencil<Space>*>(&A);
  if (!A_ || !stencil || stencil->cells() != A_->cells() || stencil->block() != A_->block() ||
      !(stencil->periodic() == A_->periodic()))
    return setup(A);
  A_ = stencil;
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    factorise();
  }
  info.levels = in_float_ ? in_float_->levels() : in_double_->levels();
  info.bytes = in_float_ ? in_float_->bytes() : in_double_->bytes();
  info.nnz = A_->entries();
  return info;
}

template <class Space>
SetupInfo BlockIlu0<Space>::setup_csr(const BlockSparse<Space>& A) {
  SetupInfo info;
  {
    const ScopedTimer timer(info.seconds);
    if (options_.float_factors)
      csr_float_ = std::make_unique<CsrIlu0<Space, float>>(A, options_);
    else
      csr_double_ = std::make_unique<CsrIlu0<Space, double>>(A, options_);
  }
  const double symbolic = info.seconds;
  info = update_csr(A);
  info.seconds += symbolic;
  return info;
}

template <class Space>
SetupInfo BlockIlu0<Space>::update_csr(const BlockSparse<Space>& A) {
  if (!(csr_float_ && csr_float_->fits(A)) && !(csr_double_ && csr_double_->fits(A))) return setup(A);
  SetupInfo info;
  FailedCell row;
  {
    const ScopedTimer timer(info.seconds);
    row = csr_float_ ? csr_float_->factorise(A) : csr_double_->factorise(A);
  }
  if (row >= 0) fail_at_row(A, row, options_.pivoting);
  info.levels = csr_float_ ? csr_float_->levels() : csr_double_->levels();
  info.bytes = csr_float_ ? csr_float_->bytes() : csr_double_->bytes();
  info.nnz = csr_float_ ? csr_float_->nnz() : csr_double_->nnz();
  return info;
}

template <class Space>
void BlockIlu0<Space>::factorise() {
  const FailedCell cell = in_float_ ? in_float_->factorise(A_->stencil()) : in_double_->factorise(A_->stencil());
  if (cell < 0) return;
  std::vector<double> values(static_cast<std::size_t>(A_->entries()));
  A_->download(values);
  const BlockStencilView view = A_->stencil().on(values.data());
  const int culprit = first_not_finite(view);
  if (culprit >= 0)
    throw RowError(Exit::not_finite, "block_ilu0: the matrix has NaN or Inf in the row of ", culprit,
                   cell_name(view.cells, culprit), "");
  throw RowError(
      Exit::solver_failed, "block_ilu0: the diagonal block of ", cell, cell_name(view.cells, cell),
      std::string(" became singular in the factorisation") + (options_.pivoting ? "" : "; pivoting = true may help"));
}

template <class Space>
void BlockIlu0<Space>::apply(View<const double> r, View<double> z) const {
  if (csr_double_)
    csr_double_->solve(r.data(), z.data());
  else if (csr_float_)
    csr_float_->solve(r.data(), z.data());
  else if (in_float_)
    in_float_->solve(A_->stencil(), r.data(), z.data());
  else
    in_double_->solve(A_->stencil(), r.data(), z.data());
}

namespace {

// Blocks of the matrix that join two different cells.
template <class Space>
std::int64_t links(const BlockStencil<Space>& A) {
  const Extents e = A.cells();
  const Periodic p = A.periodic();
  const std::int64_t nx = e.nx, ny = e.ny, nz = e.nz;
  const auto pairs = [](std::int64_t n, bool wraps) { return n > 1 && wraps ? n : n - 1; };
  return 2 * (pairs(nx, p.x) * ny * nz + nx * pairs(ny, p.y) * nz + nx * ny * pairs(nz, p.z));
}

}  // namespace

// d_p^-1 is needed in both sweeps of (2), every other block in one.
template <class Space>
Work BlockIlu0<Space>::apply_work() const {
  if (csr_double_) return csr_double_->solve_work();
  if (csr_float_) return csr_float_->solve_work();
  if (!A_) return {};
  const std::int64_t n = A_->block(), cells = A_->rows(), value = in_float_ ? 4 : 8;
  return {n * n * (8 * links(*A_) + 2 * value * cells) + 4 * 8 * n * cells, 2 * n * n * (links(*A_) + 2 * cells)};
}

// (1): two products a link towards smaller cells, one inversion a cell, 2 n^3 operations each.
template <class Space>
Work BlockIlu0<Space>::update_work() const {
  if (csr_double_) return csr_double_->factorise_work();
  if (csr_float_) return csr_float_->factorise_work();
  if (!A_) return {};
  const std::int64_t n = A_->block(), cells = A_->rows(), value = in_float_ ? 4 : 8;
  return {n * n * (8 * (links(*A_) + cells) + value * cells), 2 * n * n * n * (links(*A_) + cells)};
}

template <class Space>
std::vector<PartOfApply<Space>> BlockIlu0<Space>::parts() const {
  if (csr_double_) return csr_double_->parts();
  if (csr_float_) return csr_float_->parts();
  return {};
}

template <class Space>
std::string BlockIlu0<Space>::describe() const {
  if (csr_double_ || csr_float_)
    return std::string("block ILU(0), order of the rows, by levels") + (options_.pivoting ? ", pivoting" : "") +
           (options_.float_factors ? ", single-precision factors" : "");
  std::string text = "block ILU(0), natural order";
  if constexpr (std::is_same_v<Space, Device>) {
    const BlockIluForm form = in_double_ ? in_double_->form() : in_float_ ? in_float_->form() : options_.form;
    text += std::string(", ") + to_string(form);
  }
  if (options_.pivoting) text += ", pivoting";
  if (options_.float_factors) text += ", single-precision factors";
  return text;
}

template <class Space>
std::vector<double> BlockIlu0<Space>::inverted_diagonals() const {
  if (csr_double_) return csr_double_->inverted_diagonals();
  if (csr_float_) return csr_float_->inverted_diagonals();
  if (in_double_) return in_double_->inverted();
  const std::vector<float> f = in_float_->inverted();
  return std::vector<double>(f.begin(), f.end());
}

namespace {

constexpr Option block_ilu0_keys[] = {factor_storage,
                                      factor_pivoting,
                                      {"form", Option::text, "automatic", "of the sweeps on Device (block_ilu0.hpp)",
                                       "automatic | one_launch | workgroup | entry"}};

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_block_ilu0(const Table& options) {
  const Table t = options.described_by(block_ilu0_keys);
  BlockIluOptions o;
  const auto form = t.get<std::string>("form");
  for (const auto f : {BlockIluForm::one_launch, BlockIluForm::workgroup, BlockIluForm::entry})
    if (form == to_string(f)) o.form = f;
  o.pivoting = t.get<bool>("pivoting");
  o.float_factors = t.get<std::string>("storage") == "float";
  return std::make_unique<BlockIlu0<Space>>(o);
}

}  // namespace

// Block CSR: the factors; of each block off the diagonal its column, of half of them which product goes where; lists of rows.
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
