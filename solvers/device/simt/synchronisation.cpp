#include <algorithm>
#include <unordered_map>

#include "checker.hpp"

namespace weir::simt {

namespace {

std::uint64_t key(std::uint32_t block, std::uint32_t rank) { return std::uint64_t{block} << 11 | rank; }

}  // namespace

void Knowledge::learn(std::uint32_t block, std::uint32_t rank, std::uint32_t below) {
  if (!known_) known_ = std::make_shared<Counts>();
  const std::uint64_t who = key(block, rank);
  const auto place = std::lower_bound(known_->begin(), known_->end(), std::pair{who, 0u}) - known_->begin();
  const bool is_new = place == std::ssize(*known_) || (*known_)[place].first != who;
  if (!is_new && (*known_)[place].second >= below) return;
  if (known_.use_count() > 1) known_ = std::make_shared<Counts>(*known_);
  if (is_new)
    known_->insert(known_->begin() + place, {who, below});
  else
    (*known_)[place].second = below;
}

void Knowledge::join(const Knowledge& other) {
  if (!other.known_ || known_ == other.known_) return;
  if (!known_) {
    known_ = other.known_;
    return;
  }
  const Counts &a = *known_, &b = *other.known_;
  auto both = std::make_shared<Counts>();
  both->reserve(a.size() + b.size());
  auto i = a.begin();
  for (const auto& [who, below] : b) {
    while (i != a.end() && i->first < who) both->push_back(*i++);
    const bool is_in_both = i != a.end() && i->first == who;
    both->emplace_back(who, is_in_both ? std::max(i->second, below) : below);
    if (is_in_both) ++i;
  }
  both->insert(both->end(), i, a.end());
  if (*both == a) return;
  known_ = *both == b ? other.known_ : std::move(both);
}

bool Knowledge::covers(std::uint32_t block, std::uint32_t rank, std::uint32_t count) const {
  if (!known_) return false;
  const auto knows = [&](std::uint64_t who) {
    const auto it = std::lower_bound(known_->begin(), known_->end(), std::pair{who, 0u});
    return it != known_->end() && it->first == who && it->second > count;
  };
  return knows(key(block, rank)) || knows(key(block, whole_block));
}

namespace {

struct Fences {
  Knowledge published;  // at the last fence: what a later relaxed store publishes
  Knowledge pending;    // read by relaxed loads: known from the next fence on
};

struct State {
  std::unordered_map<const void*, Knowledge> released;  // by the variable
  std::unordered_map<const Thread*, Fences> fences;
};
State& state() {
  static State s;
  return s;
}

Knowledge& acquired_by(Thread& t) {
  auto& list = t.block->clock.by_thread;
  for (auto& [rank, knowledge] : list)
    if (rank == t.rank) return knowledge;
  return list.emplace_back(t.rank, Knowledge{}).second;
}

// All that happens before this point of t; what t does later is not part of it.
Knowledge all_known_to(Thread& t) {
  const Block& b = *t.block;
  Knowledge k = b.clock.acquired;
  k.join(acquired_by(t));
  t.clock.lanes[t.lane] = ++t.clock.now;
  k.learn(b.id, t.rank, t.clock.now);
  k.learn(b.id, Knowledge::whole_block, b.clock.base);
  for (unsigned l = 0; l < 32; ++l)
    if (t.clock.lanes[l] > 0) k.learn(b.id, t.warp * 32u + l, t.clock.lanes[l]);
  return k;
}

}  // namespace

bool happens_before(std::uint32_t block, std::uint32_t rank, std::uint32_t count, const Thread& t) {
  const Block& b = *t.block;
  if (block == b.id) {
    if (rank == t.rank || count < b.clock.base) return true;
    if (rank / 32 == t.warp && t.clock.lanes[rank % 32] > count) return true;
  }
  if (!b.clock.acquired.empty() && b.clock.acquired.covers(block, rank, count)) return true;
  for (const auto& [who, knowledge] : b.clock.by_thread)
    if (who == t.rank) return knowledge.covers(block, rank, count);
  return false;
}

void synchronise_before(Thread& t, const void* p, unsigned access) {
  if (machine().in_loop) return;  // indices of a loop are independent: nothing orders them
  const bool acquires = access & Access::acquire;
  if (!acquires && access & Access::release) return;
  const auto it = state().released.find(p);
  if (it == state().released.end()) return;
  (acquires ? acquired_by(t) : state().fences[&t].pending).join(it->second);
}

void synchronise_after(Thread& t, const void* p, unsigned access) {
  if (machine().in_loop) return;
  if (access & Access::release) {
    state().released[p].join(all_known_to(t));
  } else if (const auto it = state().fences.find(&t); it != state().fences.end()) {
    state().released[p].join(it->second.published);
  }
}

void checker_new_epoch() {
  next_epoch();
  state().released.clear();
}
void checker_new_launch() {
  checker_new_epoch();
  state().fences.clear();
}

void checker_new_block(Block& b) {
  b.clock = BlockClock{};
  for (Thread& t : b.threads) {
    t.clock = ThreadClock{};
    if (!state().fences.empty()) state().fences.erase(&t);
  }
}

void checker_block_barrier(Block& b) {
  std::uint32_t latest = 0;
  for (const Thread& t : b.threads) latest = std::max(latest, t.clock.now);
  b.clock.base = latest + 1;
  for (Thread& t : b.threads) t.clock.now = b.clock.base;
  for (const auto& [rank, knowledge] : b.clock.by_thread) b.clock.acquired.join(knowledge);
  b.clock.by_thread.clear();
}

void checker_warp_collective(Block& b, unsigned w, unsigned lanes) {
  Thread* warp = b.warp(w);
  std::uint32_t joined[32] = {};
  Knowledge knowledge;
  const bool any_acquired = !b.clock.by_thread.empty();
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    Thread& t = warp[__builtin_ctz(rest)];
    t.clock.lanes[t.lane] = ++t.clock.now;
    for (unsigned l = 0; l < 32; ++l) joined[l] = std::max(joined[l], t.clock.lanes[l]);
    if (any_acquired) knowledge.join(acquired_by(t));
  }
  for (unsigned rest = lanes; rest; rest &= rest - 1) {
    Thread& t = warp[__builtin_ctz(rest)];
    std::copy(joined, joined + 32, t.clock.lanes);
    if (any_acquired) acquired_by(t) = knowledge;
  }
}

void checker_fence(Thread& t) {
  if (machine().in_loop) return;
  Fences& f = state().fences[&t];
  if (!f.pending.empty()) {
    acquired_by(t).join(f.pending);
    f.pending = {};
  }
  f.published = all_known_to(t);
}

}  // namespace weir::simt
