// A function's text -> decoded instructions. Operands are virtual registers (>= 0), constants (<= -2) or nothing (-1)
// until place_rows, the last step, gives each its row.
#pragma once
#include <compare>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/ptx/parse/program.hpp"
#include "tests/ptx/parse/text.hpp"

namespace weir::ptx {

struct SourcePlace {
  u32 file = 0, line = 0, column = 0;
  auto operator<=>(const SourcePlace&) const = default;
};
struct VirtualRegister {
  Type type;
  int width;  // bytes of a lane; a predicate is one row of bits
};
struct Constant {
  u64 bits;
  int width;
};
// Data of row placement in addition to the code.
struct Operands {
  std::vector<VirtualRegister> registers;
  std::vector<Constant> constants;
  std::map<Special, int> specials;  // their virtual registers
};
void place_rows(Function& function, const Operands& operands);

class FunctionParser {
 public:
  explicit FunctionParser(Function& f) : f_(f), module_(*f.module) {}
  void run();

 private:
  using Words = std::vector<std::string>;
  [[noreturn]] void refuse(const std::string& what) const;

  // body.cpp
  void place_shared();
  void place_parameters();
  void parse_body();
  void source_place(const Words& words);
  void forget_unused_results();
  std::size_t label(const std::string& name, std::size_t at);
  void statement(const std::string& text);
  void directive(const std::string& text);
  void declare_registers(const std::string& text);
  void resolve_labels();
  int place_in_frame(int size, int align);

  // operands.cpp
  int find_register(const std::string& name) const;
  const Variable* find_variable(const std::string& name) const;
  bool find_symbol(const std::string& name, Space& space, s64& value) const;
  int new_register(Type type);
  int constant(u64 bits, int width);
  int width(int operand) const;
  int source(const std::string& text, Type type, bool* negated = nullptr);
  int predicate_source(const std::string& text);  // no negation
  int destination(const std::string& text);
  void destinations(const std::string& text, Instruction& i);  // "d" or "d|p"
  void address(const std::string& text, Instruction& i);

  // instructions.cpp
  void instruction(std::string text);
  bool control(Instruction& i, const std::string& rest);
  void call(Instruction& i, const std::string& rest);
  void memory_access(Instruction& i);
  void collective(Instruction& i);
  void barrier(Instruction& i);
  void move(Instruction& i);
  void move_symbol_or_value(Instruction& i);
  void convert_address(Instruction& i);
  void compare(Instruction& i);
  void plain(Instruction& i);
  bool has(const char* word) const;
  bool is_at_mutant() const;
  bool left_out(Instruction& i) const;
  u8 double_issues() const;
  void push(const Instruction& i);

  Function& f_;
  Module& module_;
  Operands operands_;
  std::vector<std::unordered_map<std::string, int>> register_scopes_;
  std::vector<std::unordered_map<std::string, Variable>> variable_scopes_;
  std::map<std::pair<u64, int>, int> constant_index_;
  std::map<std::string, s64> shared_;
  std::unordered_map<std::string, int> labels_;
  std::map<std::string, Words> branch_tables_;
  std::vector<std::pair<int, std::string>> jumps_, table_jumps_;
  int frame_bytes_ = 0;
  SourcePlace place_;                              // of the last .loc
  std::map<SourcePlace, SourcePlace> inlined_at_;  // where code of a place was called from, when last named
  u32 module_line_ = 0;
  // Of the instruction at hand.
  std::string text_;
  Words opcode_, ops_;
};

}  // namespace weir::ptx
