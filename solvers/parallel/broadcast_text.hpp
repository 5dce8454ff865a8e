// Broadcasts a text from one rank.
#pragma once
#include <cstdint>
#include <string>

#include "solvers/parallel/communicator.hpp"

namespace weir {

inline void broadcast_text(const Communicator& ranks, std::string& text, int from) {
  auto size = static_cast<std::int64_t>(text.size());
  ranks.broadcast(&size, sizeof size, from);
  text.resize(static_cast<std::size_t>(size));
  ranks.broadcast(text.data(), size, from);
}

}  // namespace weir
