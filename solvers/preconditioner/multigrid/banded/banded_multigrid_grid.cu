#include "solvers/preconditioner/multigrid/banded/banded_multigrid_grid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/parallel/communicator.hpp"
#include "solvers/preconditioner/multigrid/banded/banded_multigrid_kernels.hpp"

namespace weir::banded_multigrid {

template <class Space>
std::array<SeparableDirection, 3> judged_directions(const Banded<Space>& A,
                                                    const std::array<SeparableDirection, 3>& cubes, const RankBox& box,
                                                    const Communicator& ranks) {
  std::array<SeparableDirection, 3> direction = cubes;
  std::array<std::vector<double>, 3> largest;
  std::array<double, 3> m{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = direction[d].size(), faces = direction[d].periodic ? n : n - 1;
    if (faces < 1) continue;
    Array<double, Space> values(box.size(static_cast<int>(d)));
    largest_couplings<Space>(A.banded(), static_cast<int>(d), values.data());
    largest[d].assign(static_cast<std::size_t>(n), 0.0);
    const std::vector<double> mine = values.to_vector();
    std::copy(mine.begin(), mine.end(), largest[d].begin() + box.low[d]);
    largest[d].resize(static_cast<std::size_t>(faces));
    for (double& v : largest[d]) v = ranks.max(v);
    const double top = *std::max_element(largest[d].begin(), largest[d].end());
    if (!(top > 0) || !std::isfinite(top)) return cubes;
    for (double& v : largest[d]) v = v > 1e-6 * top ? v : top;  // a plane that is closed all over
    m[d] = *std::min_element(largest[d].begin(), largest[d].end());
  }
  for (std::size_t d = 0; d < 3; ++d) {
    SeparableDirection& line = direction[d];
    const std::size_t faces = largest[d].size(), n = line.mass.size();
    const double H = std::sqrt(m[(d + 1) % 3] * m[(d + 2) % 3]);
    for (std::size_t i = 0; i < faces; ++i) line.upper[i] = line.lower[(i + 1) % n] = largest[d][i] / (H * m[d]);
    for (std::size_t i = 0; i < n && faces > 0; ++i) {
      const double low = line.lower[i], up = line.upper[i];
      line.mass[i] = low > 0 && up > 0 ? 0.5 / low + 0.5 / up : 1 / std::max(low, up);
    }
  }
  return direction;
}

template std::array<SeparableDirection, 3> judged_directions(const Banded<Host>&,
                                                             const std::array<SeparableDirection, 3>&, const RankBox&,
                                                             const Communicator&);
template std::array<SeparableDirection, 3> judged_directions(const Banded<Device>&,
                                                             const std::array<SeparableDirection, 3>&, const RankBox&,
                                                             const Communicator&);

}  // namespace weir::banded_multigrid
