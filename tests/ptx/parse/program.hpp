// A PTX module as the machine runs it: functions of decoded instructions whose operands are rows of 32 lanes.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/ptx/base.hpp"
#include "tests/ptx/machine/counts.hpp"

namespace weir::ptx {

struct Context;
struct Instruction;
struct Function;
struct Module;

// Effect of an instruction on the lanes of `mask`.
using Execute = void (*)(Context& context, const Instruction& instruction, u32 mask);

// How the warp scheduler handles an instruction. PLAIN ones only call execute; COLLECTIVE ones wait for the lanes of a
// mask.
enum class Kind : u8 { plain, branch, branch_table, ret, exit, call, barrier, collective, trap };
// FRAME: parameters and variables of a function, an offset into its part of local memory.
enum class Space : u8 { generic, global, shared, local, param, frame };
enum class Semantics : u8 { weak, read_only, relaxed, is_volatile, acquire, release, acquire_release };
enum class Atomic : u8 { add, min, max, bit_and, bit_or, bit_xor, exchange, compare_exchange, increment, decrement };
enum class Collective : u8 {
  up,
  down,
  butterfly,
  index,
  ballot,
  all,
  any,
  uniform,
  match_any,
  match_all,
  sync,
  reduce
};
enum class Barrier : u8 { sync, arrive, popc, all, any };

struct InstructionCounts {
  u64 issued = 0, accesses = 0, sectors = 0, ideal = 0;
};

inline constexpr int no_row = -1;

struct Instruction {
  Execute execute = nullptr;
  Kind kind = Kind::plain;
  Space space = Space::generic;
  Semantics semantics = Semantics::weak;
  Type type = NO_TYPE, from = NO_TYPE;                // the first and the second type of the opcode
  u8 bytes = 0, elements = 1;                         // of one memory access
  u8 variant = 0, variant2 = 0;                       // of the operation: rounding, comparison, parts, counts
  bool flag = false;                                  // a negated predicate, cvta.to, add.cc
  u8 address_width = 8, out_width = 4, in_width = 4;  // bytes of a lane in the rows
  u8 doubles = 0;                                     // FP64 issues
  u16 issues = 1;                                     // instructions that ptxas makes of it, once asked
  bool fences = false;
  bool stores = false, atomic = false, aligned = false, block_scope = false, guard_negated = false;
  int out[4] = {no_row, no_row, no_row, no_row}, in[5] = {no_row, no_row, no_row, no_row, no_row};
  int guard = no_row, target = -1;
  s64 immediate = 0;
  u32 file = 0, line = 0;  // of the source
  u32 module_line = 0;     // of Module::text, from 1
  int text = -1;
  std::vector<int> table;  // targets of a branch table; offset and size of a call's arguments, then of its results
  Function* callee = nullptr;
  // The allocation that the last access met, valid for one generation of allocations.
  mutable struct {
    u64 begin = 1, end = 0;
    s64 shift = 0;
    u32 generation = 0;
    bool device = false;
  } met;
  mutable InstructionCounts counts;
  mutable u64 poll_loop = 0;  // instructions from one poll to the next; 0: has not polled
};

// A .param, .local or .shared variable.
struct Variable {
  std::string name;
  Space space;
  s64 offset;
  int size, align;
};

enum class Special : u8 {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  lane,
  warp,
  sm,
  sms,
  workspace_high,
  workspace_low,
  lanes_equal,
  lanes_less,
  lanes_less_equal,
  lanes_greater,
  lanes_greater_equal,
  dynamic_shared,
  total_shared,
  warps,
  grid,
  none
};

struct Function {
  Module* module = nullptr;
  std::string name;
  bool is_kernel = false, parsed = false, external = false;
  std::string_view header, body;
  std::vector<Instruction> code;
  std::vector<std::string> texts;
  std::vector<Variable> params, returns;
  int param_bytes = 0, frame_bytes = 0, static_shared = 0, row_bytes = 0;
  std::vector<char> constants;                    // rows at the head of a register file
  std::vector<std::pair<int, Special>> specials;  // special registers that are rows
  int max_threads = 0;                            // __launch_bounds__, 0: none
  int registers = -1;                             // as ptxas gives for sm_90, once asked
  bool waits = false, has_barrier = false;        // reads what other threads write meanwhile
  std::map<LaunchShape, LaunchCounts> counts;
};

struct GlobalVariable {
  u64 address;
  s64 size;
};

struct Module {
  std::string text;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
  std::map<std::string, GlobalVariable, std::less<>> globals;
  std::map<std::string, Variable, std::less<>> shared;  // at module level
  std::string dynamic_shared;                           // the name of the extern .shared array
  std::map<int, std::string> files;
  bool scanned = false, registers_known = false;
  std::vector<u16> issues;  // machine instructions by line of text; empty: not asked, or not known
};

void scan(Module& module);       // functions, variables and files, once
void parse(Function& function);  // its code and that of what it calls, once

// Chooses instruction.execute; false: not known here. `words` are the parts of the opcode.
bool bind_arithmetic(Instruction& instruction, const std::vector<std::string>& words);
bool bind_memory(Instruction& instruction);
void bind_collective(Instruction& instruction);

}  // namespace weir::ptx
