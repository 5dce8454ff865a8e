// Names, numbers and addresses.
#include <cstdlib>

#include "tests/ptx/parse/function_parser.hpp"

namespace weir::ptx {
namespace {

Special special_named(const std::string& name) {
  using enum Special;
  static const std::map<std::string, Special> specials = {{"%tid.x", tid_x},
                                                          {"%tid.y", tid_y},
                                                          {"%tid.z", tid_z},
                                                          {"%ntid.x", ntid_x},
                                                          {"%ntid.y", ntid_y},
                                                          {"%ntid.z", ntid_z},
                                                          {"%ctaid.x", ctaid_x},
                                                          {"%ctaid.y", ctaid_y},
                                                          {"%ctaid.z", ctaid_z},
                                                          {"%nctaid.x", nctaid_x},
                                                          {"%nctaid.y", nctaid_y},
                                                          {"%nctaid.z", nctaid_z},
                                                          {"%laneid", lane},
                                                          {"%warpid", warp},
                                                          {"%smid", sm},
                                                          {"%nsmid", sms},
                                                          {"%envreg1", workspace_high},
                                                          {"%envreg2", workspace_low},
                                                          {"%lanemask_eq", lanes_equal},
                                                          {"%lanemask_lt", lanes_less},
                                                          {"%lanemask_le", lanes_less_equal},
                                                          {"%lanemask_gt", lanes_greater},
                                                          {"%lanemask_ge", lanes_greater_equal},
                                                          {"%dynamic_smem_size", dynamic_shared},
                                                          {"%total_smem_size", total_shared},
                                                          {"%nwarpid", warps},
                                                          {"%gridid", grid}};
  const auto found = specials.find(name);
  return found == specials.end() ? none : found->second;
}

template <class Scopes>
auto find_in(const Scopes& scopes, const std::string& name) -> decltype(&scopes[0].begin()->second) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

}  // namespace

int FunctionParser::find_register(const std::string& name) const {
  const int* found = find_in(register_scopes_, name);
  return found ? *found : no_row;
}
const Variable* FunctionParser::find_variable(const std::string& name) const { return find_in(variable_scopes_, name); }

bool FunctionParser::find_symbol(const std::string& name, Space& space, s64& value) const {
  if (const Variable* v = find_variable(name)) {
    space = v->space;
    value = v->offset;
  } else if (const auto s = shared_.find(name); s != shared_.end()) {
    space = Space::shared;
    value = s->second;
  } else if (const auto g = module_.globals.find(name); g != module_.globals.end()) {
    space = Space::global;
    value = static_cast<s64>(g->second.address);
  } else {
    return false;
  }
  return true;
}

int FunctionParser::new_register(Type type) {
  const int bytes = bytes_of(type);
  operands_.registers.push_back({type, type == PRED ? 1 : bytes <= 4 ? 4 : bytes});
  return static_cast<int>(operands_.registers.size()) - 1;
}

int FunctionParser::constant(u64 bits, int width) {
  width = width < 4 ? 4 : width;
  if (width == 4) bits &= 0xffffffffu;
  const auto [place, fresh] = constant_index_.try_emplace({bits, width}, static_cast<int>(operands_.constants.size()));
  if (fresh) operands_.constants.push_back({bits, width});
  return -2 - place->second;
}

int FunctionParser::width(int operand) const {
  if (operand >= 0) return operands_.registers[static_cast<std::size_t>(operand)].width;
  return operand == no_row ? 4 : operands_.constants[static_cast<std::size_t>(-2 - operand)].width;
}

int FunctionParser::source(const std::string& text, Type type, bool* negated) {
  if (text.empty()) refuse("an empty operand");
  if (negated) *negated = false;
  if (text[0] == '!') {
    if (!negated) refuse("a negated operand");
    const int operand = source(text.substr(1), type);
    *negated = true;
    return operand;
  }
  if (const int found = find_register(text); found >= 0) return found;
  if (const Special special = special_named(text); special != Special::none) {
    const auto found = operands_.specials.find(special);
    return found != operands_.specials.end() ? found->second : operands_.specials[special] = new_register(U32);
  }
  if (is_number(text) && type == PRED) return constant(std::atoi(text.c_str()) ? ~u32{0} : 0, 4);
  if (is_number(text)) return constant(bits_of_number(text, type), bytes_of(type) > 4 ? 8 : 4);
  Space space{};
  s64 value = 0;
  if (find_symbol(text, space, value)) return constant(static_cast<u64>(value), 8);
  if (text == "WARP_SZ") return constant(32, 4);
  refuse("operand " + text);
}

int FunctionParser::predicate_source(const std::string& text) {
  bool negated = false;
  const int operand = source(text, PRED, &negated);
  if (negated) refuse(text_);
  return operand;
}

int FunctionParser::destination(const std::string& text) {
  if (text == "_") return no_row;
  const int found = find_register(text);
  if (found < 0) refuse("destination " + text);
  return found;
}

void FunctionParser::destinations(const std::string& text, Instruction& i) {
  const std::size_t bar = text.find('|');
  i.out[0] = destination(trim(text.substr(0, bar)));
  if (bar != text.npos) i.out[1] = destination(trim(text.substr(bar + 1)));
}

void FunctionParser::address(const std::string& text, Instruction& i) {
  const std::string inner = trim(std::string_view(text).substr(1, text.size() - 2));
  const std::size_t plus = inner.find('+', 1);
  const std::string base = trim(inner.substr(0, plus));
  if (plus != inner.npos) i.immediate = std::strtoll(trim(inner.substr(plus + 1)).c_str(), nullptr, 0);
  if (is_number(base)) {
    i.immediate += std::strtoll(base.c_str(), nullptr, 0);
    return;
  }
  if (const int found = find_register(base); found >= 0) {
    i.in[0] = found;
    i.address_width = static_cast<u8>(width(found));
    return;
  }
  Space space{};
  s64 value = 0;
  if (!find_symbol(base, space, value)) refuse("address " + text);
  if (space == Space::global) {
    i.in[0] = constant(static_cast<u64>(value), 8);
    i.address_width = 8;
    if (i.space == Space::generic || i.space == Space::param) i.space = Space::global;
  } else {
    i.immediate += value;
    i.space = space;
  }
}

}  // namespace weir::ptx
