#include "miniapps/suites.hpp"

namespace weir {

std::vector<Suite> benchmark_suites() { return {}; }

}  // namespace weir
