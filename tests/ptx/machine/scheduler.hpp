// One launch: which block, warp and group of lanes goes on next, and what control flow does to groups.
//
// A warp is a set of groups of lanes, each at its own place. Convergent: the deepest call and then the lowest place
// goes first and groups that meet go on together, as compilers hope for. Torn (Schedule::lanes): any group, for a few
// instructions, and groups fall apart at random, which independent thread scheduling allows.
#pragma once
#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

class Scheduler {
 public:
  explicit Scheduler(Launch& launch);
  void run();  // throws Fault

 private:
  // scheduler.cpp
  void start_next(ThreadBlock& block);
  bool advance(ThreadBlock& block);  // false: it and the blocks after it are done
  u64 run_warp(ThreadBlock& block, Warp& warp, u64 quantum);
  u64 run_group(ThreadBlock& block, Warp& warp, std::size_t group, u64 quantum);
  u64 quantum() const;
  std::string deadlock();

  // groups.cpp
  std::size_t choose(const Warp& warp, bool any) const;
  int meeting_place(const Warp& warp, std::size_t group) const;
  void tear(Warp& warp, std::size_t group) const;
  static void split(Warp& warp, std::size_t group, u32 away, int at);  // those lanes go on there by themselves
  static void merge(Warp& warp);
  static void count_runnable(Warp& warp);

  // control.cpp. True: the group goes on in the same function with the same lanes
  bool control(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  bool branch(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  bool branch_table(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  bool call(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  bool leave(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  void call_external(const Instruction& instruction, u32 mask);

  // waiting.cpp
  bool arrive(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  bool meet(Warp& warp, std::size_t group, const Instruction& instruction, u32 mask);
  void open_barrier(ThreadBlock& block, int number);
  void check_aligned(ThreadBlock& block, Warp& warp, int number);
  void release_collectives(Warp& warp);

  // block.cpp
  void start(ThreadBlock& block, u64 linear);
  void start_warp(ThreadBlock& block, Warp& warp, bool fresh);
  u32 special(Special which, const ThreadBlock& block, const Warp& warp, int lane) const;
  void end_lanes(ThreadBlock& block, Warp& warp, u32 mask);
  char* local(const Warp& warp, int lane) const;
  void enter(ThreadBlock& block, Warp& warp, const Function* function);  // what instructions see from now on

  Launch& launch_;
  Context context_;
  std::vector<std::unique_ptr<ThreadBlock>> blocks_;
  u64 next_ = 0, total_ = 0, running_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace weir::ptx
