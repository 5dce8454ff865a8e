#include "solvers/parallel/agree.hpp"

#include <exception>
#include <new>

#include "solvers/parallel/broadcast_text.hpp"

namespace weir {

MetError met_now() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {Exit::out_of_memory, "out of memory; `weir info` estimates what a case needs"};
  } catch (const std::exception& error) {
    return {Exit::internal, std::string("internal error: ") + error.what()};
  }
}

void agree(const Communicator& ranks, const MetError& mine) {
  const int none = ranks.size();
  const int lowest = static_cast<int>(-ranks.max(mine ? -ranks.rank() : -none));
  if (lowest == none) return;
  MetError all = mine;
  ranks.broadcast(&all.code, sizeof all.code, lowest);
  broadcast_text(ranks, all.words, lowest);
  throw AgreedError(all.code, all.words + " (rank " + std::to_string(lowest) + ")");
}

}  // namespace weir
