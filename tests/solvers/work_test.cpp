// Work stated by matrices and preconditioners, against counts by hand on three block rows of 2 x 2 in a line:
//   D U .      4 blocks off the diagonal, 2 below it and 2 above; a block is 4 values
//   L D U      a vector is 6 values, 48 bytes
//   . L D
#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test::work_test {
namespace {

template <class Space>
class WorkOf : public ::testing::Test {
 protected:
  static BlockCsrData line() {
    BlockCsrData data;
    data.block = 2;
    data.row_start = {0, 2, 5, 7};
    data.column = {0, 1, 0, 1, 2, 1, 2};
    for (int e = 0; e < 7; ++e) {
      const bool diagonal = e == 0 || e == 3 || e == 6;
      data.value.insert(data.value.end(), {diagonal ? 4.0 : -1.0, 0.0, 0.0, diagonal ? 4.0 : -1.0});
    }
    return data;
  }
  const BlockCsr<Space> A{line()};

  std::unique_ptr<Preconditioner<Space>> set_up(const std::string& type, const std::string& options = "") const {
    auto M = make_preconditioner<Space>(type, read_case_text(options, "M"));
    M->setup(A);
    return M;
  }
};
TYPED_TEST_SUITE(WorkOf, Spaces, SpaceName);

void expect(const Work& work, std::int64_t bytes, std::int64_t flops, const std::string& what) {
  EXPECT_EQ(work.bytes, bytes) << what;
  EXPECT_EQ(work.flops, flops) << what;
}

TYPED_TEST(WorkOf, ProductsMoveBlocksPatternAndTwoVectors) {
  expect(this->A.apply_work(), 7 * 32 + 7 * 4 + 3 * 8 + 2 * 48, 2 * 28, "block CSR");
  const BlockStencil<TypeParam> stencil({2, 1, 1}, 1);  // five values per cell
  expect(stencil.apply_work(), 2 * 5 * 8 + 2 * 16, 2 * 10, "block stencil");
  Banded<TypeParam> banded({4, 4, 1});
  expect(banded.apply_work(), 16 * 5 * 8 + 2 * 128, 2 * 80, "bands");
  banded.set_symmetric(true);  // one of each pair is read
  expect(banded.apply_work(), 16 * 3 * 8 + 2 * 128, 2 * 80, "symmetric bands");
}

TYPED_TEST(WorkOf, DiagonalsMoveThemselvesAndTwoVectors) {
  expect(this->set_up("jacobi")->apply_work(), 3 * 48, 6, "jacobi");
  expect(this->set_up("block_jacobi")->apply_work(), 3 * 32 + 2 * 48, 2 * 12, "block_jacobi");
  expect(this->set_up("block_jacobi", "precision = \"float\"")->apply_work(), 3 * 16 + 2 * 48, 2 * 12, "floats");
}

TYPED_TEST(WorkOf, TriangularSweepsMoveEachBlockOnceAndFourVectors) {
  const std::int64_t rows = 2 * 3 * (8 + 4);  // start and order, in both sweeps
  const auto ilu = this->set_up("block_ilu0");
  expect(ilu->apply_work(), 7 * 32 + 4 * 4 + rows + 4 * 48, 2 * 28, "block_ilu0");
  // A read, the factors written, columns, two products' places, what leads to them; products: 2, with d^-1: 4,
  // inverses: 3.
  expect(ilu->update_work(), 2 * 7 * 32 + 4 * 4 + 2 * 8 + 3 * 24, 2 * 8 * (2 + 4 + 3), "block_ilu0, update");
  expect(this->set_up("parilu")->apply_work(), 7 * 32 + 4 * 4 + rows + 4 * 48, 2 * 28, "parilu");
  expect(this->set_up("line")->apply_work(), 3 * 32 + rows + 4 * 48, 2 * 12, "lines of one row");
}

// Two sweeps to apply: the second reads what the first has left as well.
TYPED_TEST(WorkOf, AsynchronousSweepsMoveTheFactorsOnceEach) {
  const auto made = [&](const char* type, int sweeps) {
    auto M = make_preconditioner<TypeParam>(type, read_case_text("apply_sweeps = " + std::to_string(sweeps), "M"));
    M->setup(this->A);
    return M;
  };
  const std::int64_t once = 7 * 32 + 4 * 4 + 2 * 3 * 8 + 4 * 48;
  expect(made("async_block_ilu0", 1)->apply_work(), once, 2 * 28, "blocks");
  expect(made("async_block_ilu0", 2)->apply_work(), 2 * once + 2 * 48, 4 * 28, "blocks, twice");
  // A scalar row has its 28 values but 6 off the diagonal: 22 columns.
  expect(made("async_ilu0", 1)->apply_work(), 28 * 8 + 22 * 4 + 2 * 6 * 8 + 4 * 48, 2 * 28, "scalars");
  // A and the factors; where 7 entries stand and their products begin, 2 products, 2 columns, starts; 2 + 2 + 3 blocks'
  // products.
  expect(made("async_block_ilu0", 1)->update_work(), 2 * 7 * 32 + 2 * 7 * 8 + 2 * 8 + 2 * 4 + 2 * 3 * 8, 2 * 8 * 7,
         "blocks, update");
}

// Four by six cells, eigenvectors along x and Thomas along y: there, solve, back, 24 values read and written each time.
TYPED_TEST(WorkOf, FastPoissonPassesTheGridOnceADirectionAndWay) {
  const auto M = make_preconditioner<TypeParam>("fast_poisson",
                                                read_case_text("transforms = \"matrix\"\ntridiagonal = \"y\"", "M"));
  SeparableOperator op;
  op.direction[0] = cell_centred_direction({0, 1, 3, 6, 10}, EndCondition::neumann, EndCondition::neumann);
  op.direction[1] = cell_centred_direction({0, 1, 2, 4, 5, 6, 8}, EndCondition::neumann, EndCondition::dirichlet);
  op.direction[2] = cell_centred_direction({0, 1}, EndCondition::neumann, EndCondition::neumann);
  M->setup(SeparableStencil<TypeParam>(op));
  expect(M->apply_work(), 8 * (3 * 2 * 24 + 4 + 2 * 16 + 4 * 6), 24 * (16 + 2 * 2 * 4), "fast_poisson");
}

TYPED_TEST(WorkOf, OfAStencilBothSweepsReadTheInvertedBlocks) {
  BlockStencil<TypeParam> S({2, 1, 1}, 1);
  S.upload(std::vector<double>{0, 0, 0, -1, 4, 4, -1, 0, 0, 0});
  const auto M = make_preconditioner<TypeParam>("block_ilu0", Table());
  M->setup(S);
  expect(M->apply_work(), 2 * 8 + 2 * 2 * 8 + 4 * 16, 2 * (2 + 4), "two links, two inverses twice, four vectors");
  expect(M->update_work(), 4 * 8 + 2 * 8, 2 * 4, "the matrix read, two inverses written");
}

// The middle row is colour 0, its neighbours colour 1. O in floats, D in doubles; two sweeps, the first from zero.
TYPED_TEST(WorkOf, ColoursMoveTheirOwnBlocks) {
  const std::int64_t row = 2 * 8 + 4;
  const Work first0{32 + 2 * 16 + row, 8}, first1{2 * 16 + 2 * 32 + 2 * 4 + 2 * (2 * 16 + row), 32};
  const Work whole0{2 * 16 + 32 + 2 * 4 + 3 * 16 + row, 24}, whole1{2 * 16 + 2 * 32 + 2 * 4 + 2 * (3 * 16 + row), 32};
  const auto M = this->set_up("multicolor");
  expect(M->apply_work(), first0.bytes + first1.bytes + whole0.bytes + whole1.bytes, 8 + 32 + 24 + 32, "multicolor");
  const auto parts = M->parts();
  ASSERT_EQ(parts.size(), 2U);
  expect(parts[0].work, whole0.bytes, whole0.flops, parts[0].name);
  expect(parts[1].work, whole1.bytes, whole1.flops, parts[1].name);
}

// Sixteen cells are the coarsest level: a dense matrix of doubles, its vectors in floats, r and z.
TYPED_TEST(WorkOf, MultigridOfFewCellsIsADenseMatrix) {
  Banded<TypeParam> S({4, 4, 1});
  std::vector<double> values(16 * 5, 0.0);
  for (int c = 0; c < 16; ++c) values[static_cast<std::size_t>(2 * 16 + c)] = 1;
  S.upload(values);
  S.set_symmetric(true);
  const auto M = make_preconditioner<TypeParam>("multigrid", Table());
  M->setup(S);
  expect(M->apply_work(), 8 * 256 + 2 * 4 * 16 + 2 * 8 * 16, 2 * 256, "multigrid");
}

// The result of one part is not defined, but the two sweeps one after the other are the application.
TYPED_TEST(WorkOf, PartsOfATriangularPairAddUpToTheWhole) {
  const auto M = this->set_up("block_ilu0");
  const auto parts = M->parts();
  ASSERT_EQ(parts.size(), 2U);
  expect(M->apply_work(), parts[0].work.bytes + parts[1].work.bytes, parts[0].work.flops + parts[1].work.flops, "sum");
  const Array<double, TypeParam> r(std::vector<double>{1, 2, 3, 4, 5, 6});
  Array<double, TypeParam> y(6), z(6), whole(6);
  parts[0].run(r, y);
  parts[1].run(y, z);
  M->apply(r, whole);
  EXPECT_EQ(z.to_vector(), whole.to_vector());
}

}  // namespace
}  // namespace weir::test::work_test
