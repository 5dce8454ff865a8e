// Turns an error of one rank into an error of all ranks, so that none waits for a rank that has left.
#pragma once
#include <string>

#include "base/error.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Error of a rank: a code other than Exit::finished, and the message.
struct MetError {
  Exit code = Exit::finished;
  std::string words;
  explicit operator bool() const { return code != Exit::finished; }
};

class AgreedError : public Error {
 public:
  using Error::Error;
};

// From the exception being handled: an Error as it is, out of memory, or an internal error.
MetError met_now();

// Collective, one reduction. If any rank has an error, all throw the AgreedError of the lowest such rank.
void agree(const Communicator& ranks, const MetError& mine);

// Calls f(), which must not communicate, on every rank, then agree. Collective. On one rank: f() only.
template <class F>
void all_or_none(const Communicator& ranks, const F& f) {
  if (ranks.size() == 1) return f();
  MetError met;
  try {
    f();
  } catch (const AgreedError&) {  // on all ranks already
    throw;
  } catch (...) {
    met = met_now();
  }
  agree(ranks, met);
}

// Collective timing, for median_seconds.
struct Together {
  const Communicator& ranks;
  void line_up() const { ranks.barrier(); }
  double slowest(double seconds) const { return ranks.max(seconds); }
};

}  // namespace weir
