// One instruction: its opcode, operands and kind. Arithmetic is looked up in arithmetic/, memory and warps in machine/.
#include <algorithm>
#include <array>

#include "tests/ptx/parse/function_parser.hpp"

namespace weir::ptx {
namespace {

std::vector<std::string> group(const std::string& text) {  // "{a, b}" or "a"
  if (text[0] == '{') return split(std::string_view(text).substr(1, text.size() - 2));
  return {text};
}

// Hints, which change nothing that a program can see.
bool is_hint(const std::string& name) {
  static constexpr std::array hints = {"brkpt",   "nanosleep",     "prefetch", "prefetchu",
                                       "discard", "applypriority", "pmevent"};
  return std::find(hints.begin(), hints.end(), name) != hints.end();
}

}  // namespace

bool FunctionParser::has(const char* word) const {
  return std::find(opcode_.begin() + 1, opcode_.end(), word) != opcode_.end();
}

// Whether the instruction belongs to the mutant's line, or to a function that this line calls inline.
bool FunctionParser::is_at_mutant() const {
  if (options.mutant_file.empty()) return true;
  SourcePlace place = place_;
  for (int depth = 0; depth < 32; ++depth) {
    const auto file = module_.files.find(static_cast<int>(place.file));
    if (place.line == options.mutant_line && file != module_.files.end() &&
        file->second.ends_with("/" + options.mutant_file))
      return true;
    const auto caller = inlined_at_.find(place);
    if (caller == inlined_at_.end()) return false;
    place = caller->second;
  }
  return false;
}

// Left out by options.mutant: an instruction, or the word that orders memory.
bool FunctionParser::left_out(Instruction& i) const {
  const std::string &name = opcode_[0], &mutant = options.mutant;
  using enum Semantics;
  if (mutant.empty() || !is_at_mutant()) return false;
  if (mutant == "release" && (i.semantics == release || i.semantics == acquire_release)) i.semantics = relaxed;
  if (mutant == "acquire" && (i.semantics == acquire || i.semantics == acquire_release)) i.semantics = relaxed;
  if (mutant == "fence") return name == "fence" || name == "membar";
  if (mutant == "warp") return name == "bar" && has("warp");
  return mutant == "barrier" && i.kind == Kind::barrier;
}

// How often the FP64 units are asked: once, or some ten times for what ptxas writes out as a series.
u8 FunctionParser::double_issues() const {
  static constexpr std::array once = {"add", "sub", "mul", "fma", "mad", "setp", "min", "max", "cvt"};
  const std::string& name = opcode_[0];
  if (!has("f64")) return 0;
  if ((name == "div" || name == "sqrt" || name == "rcp") && !has("approx")) return 10;
  return std::find(once.begin(), once.end(), name) != once.end();
}

void FunctionParser::push(const Instruction& i) {
  f_.code.push_back(i);
  f_.code.back().text = static_cast<int>(f_.texts.size());
  f_.texts.push_back(text_);
}

void FunctionParser::instruction(std::string text) {
  Instruction i;
  i.file = place_.file;
  i.line = place_.line;
  i.module_line = module_line_;
  text_ = text;
  if (text[0] == '@') {
    const std::size_t end = text.find_first_of(" \t\n");
    std::string guard = text.substr(1, end - 1);
    text = trim(std::string_view(text).substr(end));
    if (guard[0] == '!') {
      i.guard_negated = true;
      guard.erase(0, 1);
    }
    i.guard = find_register(guard);
    if (i.guard < 0) refuse("guard " + guard);
  }
  const std::size_t end = text.find_first_of(" \t\n{[(");
  const std::string rest = end == text.npos ? "" : trim(std::string_view(text).substr(end));
  opcode_ = parts_of(std::string_view(text).substr(0, end));
  for (std::size_t k = 1; k < opcode_.size(); ++k)
    if (const Type t = type_named(opcode_[k]); t != NO_TYPE) (i.type == NO_TYPE ? i.type : i.from) = t;

  const std::string& name = opcode_[0];
  if (is_hint(name) || control(i, rest)) return;
  ops_ = split(rest);
  if (name == "ld" || name == "ldu" || name == "st" || name == "atom" || name == "red") {
    memory_access(i);
  } else if (name == "shfl" || name == "vote" || name == "match" || name == "redux" || has("warp")) {
    collective(i);
  } else if (name == "bar" || name == "barrier") {
    barrier(i);
  } else {
    if (name == "membar" || name == "fence")
      i.block_scope = has("cta");
    else if (name == "activemask")
      i.out[0] = destination(ops_[0]);
    else if (name == "mov")
      move(i);
    else if (name == "cvta")
      convert_address(i);
    else if (name == "setp" || name == "set" || name == "selp")
      compare(i);
    else
      plain(i);
    if (!bind_arithmetic(i, opcode_)) refuse("unknown instruction: " + text_);
    i.fences = name == "membar" || name == "fence";
    i.doubles = double_issues();
  }
  if (!left_out(i)) push(i);
}

bool FunctionParser::control(Instruction& i, const std::string& rest) {
  const std::string& name = opcode_[0];
  const int at = static_cast<int>(f_.code.size());
  if (name == "bra") {
    i.kind = Kind::branch;
    jumps_.emplace_back(at, rest);
  } else if (name == "brx") {
    const Words ops = split(rest);
    i.kind = Kind::branch_table;
    i.in[0] = source(ops[0], U32);
    table_jumps_.emplace_back(at, ops[1]);
  } else if (name == "ret") {
    i.kind = Kind::ret;
  } else if (name == "exit") {
    i.kind = Kind::exit;
  } else if (name == "trap") {
    i.kind = Kind::trap;
  } else if (name == "call") {
    call(i, rest);
  } else {
    return false;
  }
  push(i);
  return true;
}

// call (results), name, (arguments): both lie in the caller's frame.
void FunctionParser::call(Instruction& i, const std::string& rest) {
  i.kind = Kind::call;
  const Words ops = split(rest);
  const auto list = [](const std::string& text) { return split(std::string_view(text).substr(1, text.size() - 2)); };
  std::size_t k = 0;
  Words results, arguments;
  if (ops[k][0] == '(') results = list(ops[k++]);
  const auto callee = module_.functions.find(ops.at(k++));
  if (callee == module_.functions.end()) refuse(text_);
  if (k < ops.size() && ops[k][0] == '(') arguments = list(ops[k]);
  i.callee = callee->second.get();
  i.variant = static_cast<u8>(arguments.size());
  i.variant2 = static_cast<u8>(results.size());
  for (const Words* names : {&arguments, &results})
    for (const std::string& name : *names) {
      const Variable* v = find_variable(name);
      if (!v) refuse("argument " + name);
      i.table.push_back(static_cast<int>(v->offset));
      i.table.push_back(v->size);
    }
}

void FunctionParser::memory_access(Instruction& i) {
  for (const std::string& w : opcode_) {
    if (w == "global" || w == "const")
      i.space = Space::global;
    else if (w.starts_with("shared"))
      i.space = Space::shared;
    else if (w == "local")
      i.space = Space::local;
    else if (w.starts_with("param"))
      i.space = Space::param;
    else if (w == "volatile")
      i.semantics = Semantics::is_volatile;
    else if (w == "relaxed")
      i.semantics = Semantics::relaxed;
    else if (w == "acquire")
      i.semantics = Semantics::acquire;
    else if (w == "release")
      i.semantics = Semantics::release;
    else if (w == "acq_rel")
      i.semantics = Semantics::acquire_release;
    else if (w == "nc")
      i.semantics = Semantics::read_only;
    else if (w == "v2")
      i.elements = 2;
    else if (w == "v4")
      i.elements = 4;
    else if (w == "cta")
      i.block_scope = true;
  }
  const std::string& name = opcode_[0];
  i.bytes = static_cast<u8>(bytes_of(i.type));
  if (name == "ld" || name == "ldu") {
    const Words names = group(ops_[0]);
    for (std::size_t k = 0; k < names.size(); ++k) {
      i.out[k] = destination(names[k]);
      if (i.out[k] >= 0) i.out_width = static_cast<u8>(width(i.out[k]));
    }
    address(ops_[1], i);
  } else if (name == "st") {
    i.stores = true;
    address(ops_[0], i);
    const Words names = group(ops_[1]);
    for (std::size_t k = 0; k < names.size(); ++k) i.in[1 + k] = source(names[k], i.type);
    i.in_width = static_cast<u8>(width(i.in[1]));
  } else {
    static constexpr std::array names = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    const auto found = std::find_if(names.begin(), names.end(), [&](const char* n) { return has(n); });
    if (found == names.end()) refuse(text_);
    i.variant = static_cast<u8>(found - names.begin());
    i.stores = i.atomic = true;
    std::size_t k = 0;
    if (name == "atom") i.out[0] = destination(ops_[k++]);
    i.out_width = i.in_width = bytes_of(i.type) > 4 ? 8 : 4;
    address(ops_[k++], i);
    i.in[1] = source(ops_[k++], i.type);
    if (k < ops_.size()) i.in[2] = source(ops_[k], i.type);
    if (i.semantics == Semantics::weak) i.semantics = Semantics::relaxed;
  }
  if (!f_.is_kernel && i.space == Space::param) i.space = Space::frame;
  if (!bind_memory(i)) refuse(text_);
}

// The mask of lanes is always in[4].
void FunctionParser::collective(Instruction& i) {
  using enum Collective;
  const std::string& name = opcode_[0];
  i.kind = Kind::collective;
  Collective what = sync;
  if (name == "shfl") {
    what = has("up") ? up : has("down") ? down : has("bfly") ? butterfly : index;
    destinations(ops_[0], i);
    for (std::size_t k = 0; k < 3; ++k) i.in[k] = source(ops_[k + 1], U32);
    i.in[4] = source(ops_[4], U32);
  } else if (name == "vote") {
    what = has("ballot") ? ballot : has("all") ? all : has("any") ? any : uniform;
    i.out[0] = destination(ops_[0]);
    i.in[0] = source(ops_[1], PRED, &i.flag);
    i.in[4] = source(ops_[2], U32);
  } else if (name == "match" || name == "redux") {
    static constexpr std::array names = {"add", "min", "max", "and", "or", "xor"};
    what = name == "redux" ? reduce : has("any") ? match_any : match_all;
    destinations(ops_[0], i);
    i.in[0] = source(ops_[1], i.type);
    i.in[4] = source(ops_[2], U32);
    for (u8 k = 0; k < names.size(); ++k)
      if (has(names[k])) i.variant2 = k;
  } else {
    i.in[4] = source(ops_[0], U32);
  }
  i.variant = static_cast<u8>(what);
  bind_collective(i);
}

// in: number of the barrier, number of threads, predicate.
void FunctionParser::barrier(Instruction& i) {
  using enum Barrier;
  i.kind = Kind::barrier;
  f_.has_barrier = true;
  i.aligned = opcode_[0] == "bar" || has("aligned");
  Barrier what = has("arrive") ? arrive : sync;
  std::size_t k = 0;
  if (has("red")) {
    what = has("popc") ? popc : has("and") ? all : any;
    i.out[0] = destination(ops_[k++]);
    i.in[2] = source(ops_.back(), PRED, &i.flag);
    ops_.pop_back();
  }
  i.variant = static_cast<u8>(what);
  i.in[0] = source(ops_[k++], U32);
  if (k < ops_.size()) i.in[1] = source(ops_[k], U32);
}

// variant2 tells the forms apart: MoveForm of arithmetic/moves.cpp.
void FunctionParser::move(Instruction& i) {
  if (ops_[0][0] == '{') {
    const Words names = group(ops_[0]);
    for (std::size_t k = 0; k < names.size(); ++k) i.out[k] = destination(names[k]);
    i.in[0] = source(ops_[1], i.type);
    i.variant = static_cast<u8>(names.size());
    i.variant2 = 1;
    return;
  }
  i.out[0] = destination(ops_[0]);
  if (ops_[1][0] == '{') {
    const Words names = group(ops_[1]);
    const int part = bytes_of(i.type) / static_cast<int>(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) i.in[k] = source(names[k], part == 4 ? B32 : part == 2 ? B16 : B8);
    i.variant = static_cast<u8>(names.size());
    i.variant2 = 2;
  } else if (ops_[1] == "%clock64" || ops_[1] == "%globaltimer" || ops_[1] == "%clock") {
    i.variant2 = 4;
  } else if (i.type == PRED) {
    i.in[0] = predicate_source(ops_[1]);
    i.variant2 = 5;
  } else {
    move_symbol_or_value(i);
  }
}

void FunctionParser::move_symbol_or_value(Instruction& i) {
  std::string base = ops_[1];
  s64 offset = 0, value = 0;
  if (const std::size_t plus = base.find('+', 1); plus != base.npos && !is_number(base)) {
    offset = std::strtoll(base.c_str() + plus + 1, nullptr, 0);
    base = trim(base.substr(0, plus));
  }
  Space space{};
  if (is_number(base) || find_register(base) >= 0 || !find_symbol(base, space, value)) {
    i.in[0] = source(ops_[1], i.type);
  } else if (space == Space::frame || space == Space::local) {
    i.variant2 = 3;
    i.immediate = value + offset;
  } else {
    i.in[0] = constant(static_cast<u64>(value + offset), bytes_of(i.type) > 4 ? 8 : 4);
  }
}

void FunctionParser::convert_address(Instruction& i) {
  i.out[0] = destination(ops_[0]);
  Space space{};
  s64 value = 0;
  if (find_register(ops_[1]) < 0 && find_symbol(ops_[1], space, value)) {
    if (space == Space::frame || space == Space::local) refuse("cvta of a local symbol");
    i.in[0] = constant(static_cast<u64>(value), 8);
  } else {
    i.in[0] = source(ops_[1], i.type);
  }
  for (const std::string& w : opcode_) {
    if (w.starts_with("shared")) i.space = Space::shared;
    if (w == "local") i.space = Space::local;
    if (w == "global" || w == "const") i.space = Space::global;
    if (w.starts_with("param")) i.space = Space::param;
  }
  i.flag = has("to");
}

void FunctionParser::compare(Instruction& i) {
  destinations(ops_[0], i);
  const Type type = opcode_[0] == "set" ? i.from : i.type;
  i.in[0] = source(ops_[1], type);
  i.in[1] = source(ops_[2], type);
  if (ops_.size() > 3) i.in[2] = source(ops_[3], PRED, &i.flag);
}

void FunctionParser::plain(Instruction& i) {
  const std::string& name = opcode_[0];
  destinations(ops_[0], i);
  for (std::size_t k = 1; k < ops_.size() && k < 6; ++k) {
    if (name == "lop3" && k == 4) {
      i.immediate = std::strtoll(ops_[k].c_str(), nullptr, 0);
      continue;
    }
    Type t = i.type;
    if (name == "cvt" && i.from != NO_TYPE) t = i.from;
    if (name == "isspacep") t = U64;
    if (((name == "shl" || name == "shr") && k == 2) || (name == "bfe" && k >= 2) || (name == "bfi" && k >= 3) ||
        name == "shf")
      t = U32;
    if (name == "mad" && k == 3 && has("wide")) t = t == U32 ? U64 : t == S32 ? S64 : t == U16 ? U32 : S32;
    i.in[k - 1] = t == PRED ? predicate_source(ops_[k]) : source(ops_[k], t);
  }
  if (name == "cvt") {
    i.out_width = static_cast<u8>(width(i.out[0]));
    i.in_width = static_cast<u8>(width(i.in[0]));
  }
}

}  // namespace weir::ptx
