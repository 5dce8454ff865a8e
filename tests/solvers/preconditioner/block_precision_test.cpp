// block_jacobi in less than double: the formats, the rules at their borders, and the ladder.
#include <cstdio>
#include <functional>

#include "base/error.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/preconditioner/jacobi/rounded_blocks.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/anisotropic.hpp"

namespace weir::test::block_precision_test {
namespace {

constexpr double accuracy = 0.1;

// IEEE 754: (-1)^s 2^(e - 15) (1 + m / 1024); e = 0: 2^-14 m / 1024.
double textbook_half(unsigned bits) {
  const unsigned e = bits >> 10 & 31u, m = bits & 1023u;
  const double size = e == 0 ? std::ldexp(m, -24) : std::ldexp(1024.0 + m, static_cast<int>(e) - 25);
  return bits & 0x8000u ? -size : size;
}
Half half_of(unsigned bits) {
  Half h;
  h.bits = static_cast<std::uint16_t>(bits);
  return h;
}

TEST(HalfStorage, KeepsEachOfItsNumbersAndRoundsToTheNearestTiesToEven) {
  for (unsigned bits = 0; bits < 0x7c00u; ++bits) {
    const double x = textbook_half(bits);
    ASSERT_EQ(static_cast<double>(half_of(bits)), x);
    ASSERT_EQ(static_cast<double>(half_of(bits | 0x8000u)), -x);
    ASSERT_EQ(Half(x).bits, bits);
    if (bits + 1 == 0x7c00u) break;
    const double between = 0.5 * (x + textbook_half(bits + 1));
    ASSERT_EQ(Half(between).bits, bits + bits % 2);
    ASSERT_EQ(Half(std::nextafter(between, 0)).bits, bits);
    ASSERT_EQ(Half(-std::nextafter(between, 1e5)).bits, (bits + 1) | 0x8000u);
  }
  EXPECT_EQ(static_cast<double>(Half(1e9)), Half::largest);
}

TEST(BlockPrecision, IsTheShortestThatTheConditionNumberAllows) {
  // |J| + B s is a power of two, so is what it is multiplied with: the bound is met to the last bit.
  constexpr int B = 4;
  const auto kind = [](double of_block, double of_inverse) {
    return precision_of(B, {of_block, of_inverse, of_inverse}, 0.125);
  };
  const double one = 1 - B * Half::least_normal;
  EXPECT_EQ(kind(0x1p8, one), StoredAs::half);  // 2^-11 2^8 = 1/8
  EXPECT_EQ(kind(std::nextafter(0x1p8, 1e9), one), StoredAs::float32);
  EXPECT_EQ(kind(0x1p21, 1), StoredAs::float32);  // 2^-24 2^21; 4 2^-126 vanishes compared with 1
  EXPECT_EQ(kind(std::nextafter(0x1p21, 1e9), 1), StoredAs::float64);
  const double bfloat16 = 0.125 / bfloat16_format().round_off;  // 32, but for what the way over floats adds
  EXPECT_EQ(precision_of(B, {bfloat16 * (1 - eps), 1, 1e5}, 0.125), StoredAs::bfloat16);
  EXPECT_EQ(precision_of(B, {bfloat16 * (1 + 2 * eps), 1, 1e5}, 0.125), StoredAs::float32);
}

TEST(BlockPrecision, LooksAtOverflowAndUnderflow) {
  const auto kind = [](double of_inverse, double largest) {  // a block of condition number 1
    return precision_of(2, {1 / of_inverse, of_inverse, largest}, accuracy);
  };
  EXPECT_EQ(kind(Half::largest, Half::largest), StoredAs::half);
  EXPECT_EQ(kind(Half::largest, std::nextafter(Half::largest, 1e9)), StoredAs::bfloat16);
  EXPECT_EQ(kind(0x1.fep127, 0x1.fep127), StoredAs::bfloat16);
  EXPECT_EQ(kind(0x1.fep127, 0x1.ffp127), StoredAs::float32);
  EXPECT_EQ(kind(1e39, 1e39), StoredAs::float64);
  // Below the normal numbers only u s is left: u (1 + 2 s / |J|) reaches 0.1 at |J| = 2 s / (0.1 / u - 1).
  const double least = 2 * Half::least_normal / (accuracy / half_format().round_off - 1);
  EXPECT_EQ(kind(least * (1 + 1e-12), least), StoredAs::half);
  EXPECT_EQ(kind(least * (1 - 1e-12), least), StoredAs::bfloat16);
  EXPECT_EQ(kind(1e-40, 1e-40), StoredAs::float32);  // 24 bits reach further down than 8
  EXPECT_EQ(kind(1e-60, 1e-60), StoredAs::float64);
}

// Diagonal blocks alone: V diag(1 .. 1/condition) W times size, with V and W reflections (or V = W), so that the l2
// condition number is known; kinds and sizes vary from row to row.
BlockCsrData prescribed_blocks(int rows, int B, bool symmetric, unsigned seed) {
  BlockCsrData d;
  d.block = B;
  d.symmetric = symmetric;
  d.row_start.push_back(0);
  const Numbers random = random_numbers(2 * rows * B, seed);
  const double conditions[] = {1.5, 1e4, 5, 1e9}, sizes[] = {1, 1e-7, 1e3};
  for (int i = 0; i < rows; ++i) {
    Dense block(B);
    for (int k = 0; k < B; ++k)
      block(k, k) = sizes[i % 3] * std::pow(conditions[i % 4], B == 1 ? 0.0 : -static_cast<double>(k) / (B - 1));
    const auto reflect = [&](const double* v, bool from_left) {  // by 1 - 2 v v' / v'v
      double vv = 0;
      for (int k = 0; k < B; ++k) vv += v[k] * v[k];
      for (int c = 0; c < B; ++c) {
        double s = 0;
        for (int k = 0; k < B; ++k) s += v[k] * (from_left ? block(k, c) : block(c, k));
        for (int k = 0; k < B; ++k) (from_left ? block(k, c) : block(c, k)) -= 2 * s / vv * v[k];
      }
    };
    const double* v = random.data() + std::ptrdiff_t{2} * i * B;
    reflect(v, true);
    reflect(symmetric ? v : v + B, false);
    d.column.push_back(i);
    d.value.insert(d.value.end(), block.a.begin(), block.a.end());
    d.row_start.push_back(i + 1);
  }
  return d;
}

template <class Space>
std::unique_ptr<Preconditioner<Space>> made(const Matrix<Space>& A, double within = accuracy) {
  auto M = make_rounded_block_jacobi<Space>(within);
  M->setup(A);
  return M;
}

template <class Space>
std::vector<StoredAs> kinds_of(const Preconditioner<Space>& M) {
  return M.storage_of_rows();
}

template <class Space>
class AdaptiveBlockJacobi : public ::testing::Test {};
TYPED_TEST_SUITE(AdaptiveBlockJacobi, Spaces, SpaceName);

// J D e for each unit vector: the columns of J D, of all block rows at once.
TYPED_TEST(AdaptiveBlockJacobi, KeepsToItsAccuracyInEveryBlockAndUsesEachFormat) {
  for (const int B : {1, 2, 3, 4, 5, 7, 8, 9, 20}) {
    const int rows = B < 9 ? 600 : 60;  // more than a stretch, or one
    const BlockCsrData data = prescribed_blocks(rows, B, false, static_cast<unsigned>(B));
    const BlockCsr<TypeParam> A(data);
    const auto M = made<TypeParam>(A);
    const std::vector<StoredAs> kinds = kinds_of(*M);
    ASSERT_EQ(kinds.size(), static_cast<std::size_t>(rows));
    for (const StoredAs kind : {StoredAs::half, StoredAs::bfloat16, StoredAs::float32, StoredAs::float64})
      EXPECT_TRUE(B == 1 || std::count(kinds.begin(), kinds.end(), kind) > 0) << to_string(kind) << ", B = " << B;
    for (int c = 0; c < B; ++c) {
      Numbers De(static_cast<std::size_t>(rows * B));
      for (int i = 0; i < rows; ++i)
        for (int r = 0; r < B; ++r)
          De[static_cast<std::size_t>(i * B + r)] = data.value[static_cast<std::size_t>((i * B + r) * B + c)];
      const Numbers column = applied(*M, De);
      for (int i = 0; i < rows; ++i) {
        double distance = 0;
        for (int r = 0; r < B; ++r) distance += std::abs(column[static_cast<std::size_t>(i * B + r)] - (r == c));
        // Rounding of the inversion and of this product: the blocks in double have condition numbers of 1e9 times B.
        const double rounding = kinds[static_cast<std::size_t>(i)] == StoredAs::float64 ? 1e11 * B * B * eps : 1e-4;
        ASSERT_LE(distance, accuracy + rounding) << "B = " << B << ", row " << i << ", column " << c;
      }
    }
  }
}

TYPED_TEST(AdaptiveBlockJacobi, HoldsTheBytesOfItsBlocks) {
  constexpr int rows = 8000, B = 4, entries = B * B;
  const BlockCsr<TypeParam> A(prescribed_blocks(rows, B, false, 1));
  const auto bytes = [&](double within) {
    auto M = make_rounded_block_jacobi<TypeParam>(within);
    return M->setup(A).bytes;
  };
  const auto M = made<TypeParam>(A);
  std::int64_t of_blocks = 0;
  for (const StoredAs kind : kinds_of(*M)) of_blocks += bits_of(kind) / 8 * entries;
  const std::int64_t scratch = rows / 16 * 8 * entries, chosen = rows / 16 * 8 + (rows / 16 + 1) * 8;
  EXPECT_EQ(bytes(accuracy), of_blocks + 4 * rows + scratch + chosen);
  EXPECT_EQ(bytes(0), 4 * entries * rows + scratch);
  EXPECT_LT(bytes(accuracy), 8 * entries * rows * 3 / 4);
}

// Blocks become harder and easier; with the same values once more nothing is allocated.
TYPED_TEST(AdaptiveBlockJacobi, UpdateEqualsAFreshSetup) {
  for (const double within : {accuracy, 0.0}) {
    BlockCsrData data = prescribed_blocks(700, 3, false, 4);
    BlockCsr<TypeParam> A(data);
    const auto M = made<TypeParam>(A, within);
    std::rotate(data.value.begin(), data.value.begin() + 9 * 5, data.value.end());
    for (std::size_t e = 0; e < data.value.size() / 2; ++e) data.value[e] *= 1e-9;  // no half holds their inverses
    A.update(data.value);
    M->update(A);
    const auto fresh = made<TypeParam>(A, within);
    const Numbers r = random_numbers(A.size(), 7);
    EXPECT_EQ(applied(*M, r), applied(*fresh, r));
    EXPECT_EQ(kinds_of(*M), kinds_of(*fresh));
    for (double& v : data.value) v *= 1.01;  // all stay of their kinds
    A.update(data.value);
    const Ledger before = ledger();
    M->update(A);
    EXPECT_EQ(ledger().host_allocations, before.host_allocations);
    EXPECT_EQ(ledger().device_allocations, before.device_allocations);
    EXPECT_EQ(applied(*M, r), applied(*made<TypeParam>(A, within), r));
  }
}

TEST(AdaptiveBlockJacobiSpaces, DeviceEqualsHost) {
  for (const double within : {accuracy, 0.0}) {
    const BlockCsrData data = prescribed_blocks(500, 5, false, 9);
    const BlockCsr<Host> host(data);
    const BlockCsr<Device> device(data);
    const auto on_host = made<Host>(host, within);
    const auto on_device = made<Device>(device, within);
    EXPECT_EQ(kinds_of(*on_host), kinds_of(*on_device));
    const Numbers r = random_numbers(host.size(), 3), z = applied(*on_host, r);
    EXPECT_LE(max_difference(z, applied(*on_device, r)), 10 * eps * max_norm(z));
    const Array<double, Device> R(r);
    Array<double, Device> Z(R.size());
    EXPECT_NEAR(on_device->apply_dot(R, Z), dot(r, z), 100 * eps * norm(r) * norm(z));
    EXPECT_EQ(Z.to_vector(), applied(*on_device, r));
  }
}

TYPED_TEST(AdaptiveBlockJacobi, IsSymmetricWhereTheMatrixIs) {
  const BlockCsrData data = prescribed_blocks(40, 6, true, 8);
  const BlockCsr<TypeParam> A(data);
  const auto M = made<TypeParam>(A);
  ASSERT_TRUE(M->is_symmetric());
  EXPECT_FALSE(made<TypeParam>(BlockCsr<TypeParam>(prescribed_blocks(40, 6, false, 8)))->is_symmetric());
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < c; ++r) {  // J(r, c) and J(c, r) of all blocks, to the last bit
      const auto entries = [&](int row, int column) {
        Numbers e(static_cast<std::size_t>(A.size())), picked;
        for (std::size_t i = 0; i < 40; ++i) e[6 * i + static_cast<std::size_t>(column)] = 1;
        const Numbers z = applied(*M, e);
        for (std::size_t i = 0; i < 40; ++i) picked.push_back(z[6 * i + static_cast<std::size_t>(row)]);
        return picked;
      };
      EXPECT_EQ(entries(r, c), entries(c, r));
    }
}

TYPED_TEST(AdaptiveBlockJacobi, NamesTheRowThatCannotBeInverted) {
  BlockCsrData data = prescribed_blocks(600, 2, false, 5);
  for (int e = 0; e < 4; ++e) data.value[4 * 471 + static_cast<std::size_t>(e)] = 0.25;
  const BlockCsr<TypeParam> A(data);
  for (const double within : {accuracy, 0.0}) {
    try {
      made<TypeParam>(A, within);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::solver_failed);
      EXPECT_NE(std::string(e.what()).find("block row 471 (rows 942 to 943)"), std::string::npos) << e.what();
    }
  }
}

// Five-point diffusion on m x m cells, with zero around them, of coefficients k(i, j) in the cells (harmonic means on
// faces), and convection (c, 0) by upwind differences.
BlockCsrData five_points(int m, const std::function<double(int, int)>& k, double across, double c) {
  BlockCsrData d;
  d.symmetric = c == 0;
  d.row_start.push_back(0);
  const auto face = [&](int i, int j, int I, int J) {
    if (I < 0 || J < 0 || I >= m || J >= m) return 2 * k(i, j);
    return 2 * k(i, j) * k(I, J) / (k(i, j) + k(I, J));
  };
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      const double w = face(i, j, i - 1, j) + c, e = face(i, j, i + 1, j), s = across * face(i, j, i, j - 1),
                   n = across * face(i, j, i, j + 1);
      const auto add = [&](bool inside, int column, double value) {
        if (!inside) return;
        d.column.push_back(column);
        d.value.push_back(value);
      };
      const int row = j * m + i;
      add(j > 0, row - m, -s);
      add(i > 0, row - 1, -w);
      add(true, row, w + e + s + n);
      add(i + 1 < m, row + 1, -e);
      add(j + 1 < m, row + m, -n);
      d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
    }
  return d;
}

// For cg the theory tells how many: M^-1 D has its eigenvalues between 1 - 0.1 and 1 + 0.1, so the condition number
// grows by 1.1 / 0.9 at most, and the bound on the iterations by its root, 1.106. gmres is held to the same.
TEST(AdaptiveBlockJacobiIterations, AreThoseOfDoubleWithinATenth) {
  constexpr int m = 32;
  const auto one = [](int, int) { return 1.0; };
  const auto jumps = [](int i, int j) { return (i / 3 + j / 5) % 2 ? 1.0 : 1e8; };
  struct Problem {
    std::string name, method;
    int block;
    BlockCsrData scalar;
  };
  std::vector<Problem> problems;
  problems.push_back({"Laplacian", "cg", 8, five_points(m, one, 1, 0)});
  problems.push_back({"anisotropic, blocks of whole lines", "cg", 32, five_points(m, one, 1e-3, 0)});
  problems.push_back({"coefficients 1 and 1e8", "cg", 8, five_points(m, jumps, 1, 0)});
  problems.push_back({"convection", "gmres", 8, five_points(m, one, 1, 20)});
  problems.push_back({"ANI, turned", "cg", 16, anisotropic({m, 1e-3, 0.5, 1})});
  int of_kind[storage_kinds] = {};
  for (Problem& p : problems) {
    const bool symmetric = p.scalar.symmetric || p.method == "cg";
    BlockCsrData blocks = cut_into_blocks(std::move(p.scalar), p.block);
    blocks.symmetric = symmetric;
    const BlockCsr<Host> A(blocks);
    KrylovOptions o;
    o.tolerance = 1e-8;
    const Numbers b = random_numbers(A.size(), 2);
    Numbers x(b.size()), y(b.size());
    const auto M = made<Host>(A);
    for (const StoredAs kind : kinds_of(*M)) ++of_kind[static_cast<int>(kind)];
    const SolveResult in_double = solve<Host>(p.method, "block_jacobi", A, b, x, o);
    const SolveResult adaptive = solve<Host>(p.method, *M, A, b, y, o);
    EXPECT_TRUE(in_double.converged() && adaptive.converged()) << p.name;
    EXPECT_LE(adaptive.iterations, std::ceil(std::sqrt(1.1 / 0.9) * in_double.iterations)) << p.name;
    std::printf("%-36s %4d iterations in double, %4d adaptive\n", p.name.c_str(), in_double.iterations,
                adaptive.iterations);
  }
  EXPECT_GT(of_kind[0], 0);
  EXPECT_GT(of_kind[2] + of_kind[3], 0);
}

}  // namespace
}  // namespace weir::test::block_precision_test
