// Branches, calls, returns.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/machine/scheduler.hpp"

namespace weir::ptx {

bool Scheduler::control(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  const u32 rest = w.groups[k].lanes & ~mask;
  const int next = w.groups[k].at + 1;
  if (i.kind == Kind::branch) return branch(w, k, i, mask);
  if (mask == 0) {
    w.groups[k].at = next;
    return true;
  }
  if (rest) split(w, k, rest, next);  // lanes that the guard leaves out
  bool goes_on = false;
  switch (i.kind) {
    case Kind::branch_table:
      goes_on = branch_table(w, k, i, mask);
      break;
    case Kind::call:
      goes_on = call(w, k, i, mask);
      break;
    case Kind::ret:
    case Kind::exit:
      goes_on = leave(w, k, i, mask);
      break;
    case Kind::barrier:
      goes_on = arrive(w, k, i, mask);
      break;
    case Kind::collective:
      goes_on = meet(w, k, i, mask);
      break;
    default:
      fault(context_, i, first_lane(mask), cudaErrorLaunchFailure, "trap");
  }
  return goes_on && !rest;
}

bool Scheduler::branch(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  Group& g = w.groups[k];
  if (launch_.counts) ++launch_.counts->branches;
  if (mask == g.lanes || mask == 0) {
    g.at = mask ? i.target : g.at + 1;
    return true;
  }
  if (launch_.counts) ++launch_.counts->divergent;
  ++g.at;
  split(w, k, mask, i.target);
  return false;
}

bool Scheduler::branch_table(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  const char* row = context_.rows + i.in[0];
  const u32 index = get<u32>(row, first_lane(mask));
  if (index >= i.table.size())
    fault(context_, i, first_lane(mask), cudaErrorLaunchFailure, "branch index out of its table");
  u32 others = 0;
  for (const int l : lanes(mask)) others |= static_cast<u32>(get<u32>(row, l) != index) << l;
  if (others) split(w, k, others, w.groups[k].at);  // they choose next
  w.groups[k].at = i.table[index];
  return !others;
}

// Arguments go from the caller's frame to the callee's, results back.
bool Scheduler::call(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  Group& g = w.groups[k];
  if (i.callee->external) {
    call_external(i, mask);
    ++g.at;
    return true;
  }
  const int frame = launch_.windows.at(i.callee).frame;
  for (std::size_t a = 0; a < i.variant; ++a) {
    const Variable& p = i.callee->params[a];
    for (const int l : lanes(mask))
      std::memcpy(local(w, l) + frame + p.offset, local(w, l) + context_.frame + i.table[2 * a],
                  static_cast<std::size_t>(p.size));
  }
  g.calls.push_back({g.function, g.at});
  g.function = i.callee;
  g.at = 0;
  return false;
}

bool Scheduler::leave(Warp& w, std::size_t k, const Instruction& i, u32 mask) {
  Group& g = w.groups[k];
  if (i.kind == Kind::exit || g.calls.empty()) {
    w.groups.erase(w.groups.begin() + static_cast<std::ptrdiff_t>(k));
    --w.runnable;
    end_lanes(*context_.block, w, mask);
    return false;
  }
  const CallFrame caller = g.calls.back();
  const Instruction& call = caller.function->code[static_cast<std::size_t>(caller.at)];
  const int frame = launch_.windows.at(caller.function).frame;
  for (std::size_t r = 0; r < call.variant2; ++r) {
    const Variable& result = g.function->returns[r];
    for (const int l : lanes(mask))
      std::memcpy(local(w, l) + frame + call.table[2 * (call.variant + r)],
                  local(w, l) + context_.frame + result.offset, static_cast<std::size_t>(result.size));
  }
  g.calls.pop_back();
  g.function = caller.function;
  g.at = caller.at + 1;
  return false;
}

void Scheduler::call_external(const Instruction& i, u32 mask) {
  const int lane = first_lane(mask);
  const auto argument = [&](std::size_t k) {
    u64 v = 0;
    std::memcpy(&v, local(*context_.warp, lane) + context_.frame + i.table.at(2 * k),
                static_cast<std::size_t>(std::min(8, i.table.at(2 * k + 1))));
    return v;
  };
  const auto text = [](u64 address) { return allocation_of(address) ? std::string(real(address)) : std::string("?"); };
  if (i.callee->name == "__assertfail")
    fault(context_, i, lane, cudaErrorAssert,
          "assertion " + text(argument(0)) + " " + text(argument(1)) + ":" +
              std::to_string(static_cast<u32>(argument(2))));
  if (i.callee->name != "vprintf") unsupported("call of external " + i.callee->name);
  note(context_, i, lane, "printf, whose text is not printed");
}

}  // namespace weir::ptx
