#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include "tests/benchmarks/anzt/ilut_peer.hpp"
#include "tests/benchmarks/bench.hpp"

namespace weir::bench {
namespace {

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

struct Ilut : Eigen::IncompleteLUT<double> {
  std::int64_t nnz() const { return m_lu.nonZeros(); }
};

}  // namespace

IlutPeer eigen_ilut(const BlockCsrData& data, double fill, double tolerance) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < data.rows(); ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      entries.emplace_back(i, data.column[static_cast<std::size_t>(e)], data.value[static_cast<std::size_t>(e)]);
  Sparse A(data.rows(), data.rows());
  A.setFromTriplets(entries.begin(), entries.end());
  auto ilut = std::make_shared<Ilut>();
  ilut->setFillfactor(static_cast<int>(fill));
  ilut->setDroptol(tolerance);
  IlutPeer peer{"Eigen IncompleteLUT", 0, 0, 0, {}};
  peer.analysis = best_processor_seconds([&] { ilut->analyzePattern(A); }, 2, 0);
  peer.factorisation = best_processor_seconds([&] { ilut->factorize(A); }, 2, 0);
  peer.nnz = ilut->nnz();
  peer.apply = [ilut, n = data.rows()](const double* r, double* z) {
    Eigen::Map<Eigen::VectorXd>(z, n) = ilut->solve(Eigen::Map<const Eigen::VectorXd>(r, n));
  };
  return peer;
}

}  // namespace weir::bench
