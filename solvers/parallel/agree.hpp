// An error that one rank alone meets, made one of all ranks: all throw it, so that none waits for one that has left, and
// what a run does after an error it can do with all of them.
#pragma once
#include <string>

#include "base/error.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// What a rank has met: a code other than Exit::finished, and the words.
struct MetError {
  Exit code = Exit::finished;
  std::string words;
  explicit operator bool() const { return code != Exit::finished; }
};

// The error that all ranks have met.
class AgreedError : public Error {
 public:
  using Error::Error;
};

// Of the exception that is being handled: an Error as it is, memory that was refused, anything else an internal error.
MetError met_now();

// All ranks call, one reduction. Where any has met an error, all throw an AgreedError, that of the lowest such rank,
// whose number the words then tell.
void agree(const Communicator& ranks, const MetError& mine);

// f(), which must not wait for other ranks, on every rank; then agree. All ranks call. On one rank f() alone.
template <class F>
void all_or_none(const Communicator& ranks, const F& f) {
  if (ranks.size() == 1) return f();
  MetError met;
  try {
    f();
  } catch (...) {
    met = met_now();
  }
  agree(ranks, met);
}

// The ranks of a job that time what they do at once; for median_seconds.
struct Together {
  const Communicator& ranks;
  void line_up() const { ranks.barrier(); }
  double slowest(double seconds) const { return ranks.max(seconds); }
};

}  // namespace weir
