// Functions that the adapters need: part of the program and of the plugins.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "solvers/adapters/peer.hpp"

namespace weir {

std::vector<std::string> peer_words(const std::string& what) {
  std::vector<std::string> words(1);
  for (const char c : what) {
    if (c == '+')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

void refuse_peer(const std::string& library, const std::string& what, const std::string& known) {
  throw Error(Exit::usage, "'" + library + ":" + what + "' is unknown; known: " + known);
}

// Outside of these bounds squares underflow or overflow.
double l2_norm(std::span<const double> v) {
  double s = 0, most = 0;
  for (const double x : v) {
    s += x * x;
    most = std::max(most, std::abs(x));
  }
  if (most == 0 || !std::isfinite(most) || (most > 1e-140 && most < 1e140)) return std::sqrt(s);
  s = 0;
  for (const double x : v) s += (x / most) * (x / most);
  return most * std::sqrt(s);
}

}  // namespace weir
