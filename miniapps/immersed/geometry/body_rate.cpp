#include "miniapps/immersed/geometry/body_rate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "miniapps/immersed/read.hpp"

namespace weir {

std::function<double(double)> body_rate(const Table& config, const ImmersedCase& c) {
  if (c.flow.time.dt > 0) return {};
  const auto body = std::make_shared<Body>(read_case_body(config, c));
  if (body->is_fixed()) return {};
  Vec3 inverse{};
  for (int d = 0; d < c.flow.dim(); ++d) {
    const auto& width = c.flow.grid.line[d].width;
    inverse[d] = 1 / *std::min_element(width.begin(), width.end());
  }
  return [body, inverse](double t) {
    body->move(t);
    double most = 0;
    for (const Vec3& u : body->fluid_velocity())
      most = std::max(most, std::abs(u[0]) * inverse[0] + std::abs(u[1]) * inverse[1] + std::abs(u[2]) * inverse[2]);
    return most;
  };
}

}  // namespace weir
