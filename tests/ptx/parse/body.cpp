// A function's body: scopes, variables, labels, statements.
#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "tests/ptx/parse/function_parser.hpp"

namespace weir::ptx {

void FunctionParser::refuse(const std::string& what) const {
  unsupported("PTX of " + demangled(f_.name) + ": " + what);
}

void FunctionParser::run() {
  register_scopes_.emplace_back();
  variable_scopes_.emplace_back();
  place_shared();
  place_parameters();
  parse_body();
  text_ = "(end)";
  Instruction end;
  end.kind = Kind::ret;
  push(end);
  resolve_labels();
  forget_unused_results();
  f_.frame_bytes = round_up(frame_bytes_, 16);
  place_rows(f_, operands_);
}

// Static shared memory: what the body declares, then what it names of the module's.
void FunctionParser::place_shared() {
  const std::string_view body = f_.body;
  s64 at = 0;
  const auto place = [&](const std::string& name, s64 size, int align) {
    at = round_up(at, s64{align});
    shared_[name] = at;
    at += size;
  };
  for (std::size_t k = body.find(".shared"); k != body.npos; k = body.find(".shared", k + 7)) {
    const std::size_t before = body.find_last_of("\n;{}", k ? k - 1 : 0), begin = before == body.npos ? 0 : before + 1;
    if (!trim(body.substr(begin, k - begin)).empty() || !is_space(body[k + 7])) continue;  // ld.shared and the like
    if (!f_.is_kernel) refuse("shared memory in a function that is called (compiled without optimisation?)");
    const Declaration d = declaration(body.substr(k + 7, body.find(';', k) - k - 7));
    place(d.name, d.size(), d.align);
  }
  for (const auto& [name, variable] : module_.shared) {
    if (name == module_.dynamic_shared || !contains_name(body, name)) continue;
    if (!f_.is_kernel) refuse("shared memory in a function that is called");
    place(name, variable.size, variable.align);
  }
  f_.static_shared = static_cast<int>(at);
  if (!module_.dynamic_shared.empty()) shared_[module_.dynamic_shared] = round_up(at, s64{16});
}

int FunctionParser::place_in_frame(int size, int align) {
  const int at = round_up(frame_bytes_, std::max(align, 1));
  frame_bytes_ = at + size;
  return at;
}

void FunctionParser::place_parameters() {
  for (auto* variables : {&f_.params, &f_.returns})
    for (Variable& v : *variables) {
      if (!f_.is_kernel) {
        v.space = Space::frame;
        v.offset = place_in_frame(v.size, v.align);
      }
      variable_scopes_.back()[v.name] = v;
    }
}

void FunctionParser::parse_body() {
  const std::string_view body = f_.body;
  const char* counted = module_.text.data();
  u32 line = 1;
  std::string text;
  for (std::size_t i = 0; i < body.size();) {
    const char c = body[i];
    if (text.empty()) {
      line += static_cast<u32>(std::count(counted, &body[i], '\n'));
      counted = &body[i];
      module_line_ = line;
    }
    if (text.empty() && is_space(c)) {
      ++i;
    } else if (text.empty() && body.substr(i, 4) == ".loc" && is_space(body[i + 4])) {
      const std::size_t end = std::min(body.find('\n', i), body.size());
      const Words words = words_of(body.substr(i + 4, end - i - 4));
      source_place(words);
      i = end;
    } else if (text.empty() && (c == '{' || c == '}')) {
      if (c == '{') {
        register_scopes_.emplace_back();
        variable_scopes_.emplace_back();
      } else {
        register_scopes_.pop_back();
        variable_scopes_.pop_back();
      }
      ++i;
    } else if (c == ';') {
      statement(text);
      text.clear();
      ++i;
    } else if (c == ':' && i + 1 < body.size() && body[i + 1] != ':' && text.find_first_of(" \t\n[:") == text.npos) {
      i = label(trim(text), i + 1);
      text.clear();
    } else {
      text += is_space(c) ? ' ' : c;
      ++i;
    }
  }
}

// ".loc file line column", and where inlined ", function_name label, inlined_at file line column" of the call.
void FunctionParser::source_place(const Words& words) {
  const auto number = [&](std::size_t k) { return static_cast<u32>(std::atoi(words.at(k).c_str())); };
  place_ = {number(0), number(1), number(2)};
  const auto at = std::find(words.begin(), words.end(), "inlined_at");
  if (at == words.end()) {
    inlined_at_.erase(place_);
  } else {
    const auto k = static_cast<std::size_t>(at - words.begin());
    inlined_at_[place_] = {number(k + 1), number(k + 2), number(k + 3)};
  }
}

// An atomic with a result that no instruction reads is a reduction, as ptxas makes of it.
void FunctionParser::forget_unused_results() {
  std::unordered_set<int> read;
  for (const Instruction& i : f_.code) {
    read.insert(std::begin(i.in), std::end(i.in));
    read.insert(i.guard);
  }
  for (Instruction& i : f_.code)
    if (i.atomic && !read.contains(i.out[0])) i.out[0] = no_row;
}

// A place in the code, or a table of targets.
std::size_t FunctionParser::label(const std::string& name, std::size_t at) {
  const std::string_view body = f_.body;
  std::size_t next = at;
  while (next < body.size() && is_space(body[next])) ++next;
  constexpr std::string_view targets = ".branchtargets";
  if (body.substr(next, targets.size()) == targets) {
    const std::size_t begin = next + targets.size(), end = body.find(';', next);
    branch_tables_[name] = split(body.substr(begin, end - begin));
    return end + 1;
  }
  labels_[name] = static_cast<int>(f_.code.size());
  return at;
}

void FunctionParser::statement(const std::string& raw) {
  const std::string text = trim(raw);
  if (text.empty()) return;
  if (text[0] == '.')
    directive(text);
  else
    instruction(text);
}

void FunctionParser::directive(const std::string& text) {
  const std::string word = words_of(text)[0];
  if (word == ".reg") {
    declare_registers(text);
  } else if (word == ".local" || word == ".param") {
    const Declaration d = declaration(std::string_view(text).substr(6));
    const int size = static_cast<int>(d.size()), at = place_in_frame(size, d.align);
    variable_scopes_.back()[d.name] = {d.name, Space::frame, at, size, d.align};
  } else if (word != ".shared" && word != ".pragma" && word != ".callprototype") {
    refuse("directive " + text);
  }
}

// ".reg .b32 %r<9>" or ".reg .pred p, q".
void FunctionParser::declare_registers(const std::string& text) {
  const std::string type_word = words_of(text)[1];
  const Type type = type_named(std::string_view(type_word).substr(1));
  if (type == NO_TYPE) refuse(text);
  for (const std::string& name : split(std::string_view(text).substr(text.find(type_word) + type_word.size()))) {
    const std::size_t open = name.find('<');
    const std::string base = trim(name.substr(0, open));
    if (open == name.npos) {
      register_scopes_.back()[base] = new_register(type);
      continue;
    }
    const int count = std::atoi(name.c_str() + open + 1);
    for (int k = 0; k < count; ++k) register_scopes_.back()[base + std::to_string(k)] = new_register(type);
  }
}

void FunctionParser::resolve_labels() {
  const auto place = [&](const std::string& name) {
    const auto found = labels_.find(name);
    if (found == labels_.end()) refuse("label " + name);
    return found->second;
  };
  for (const auto& [at, name] : jumps_) f_.code[static_cast<std::size_t>(at)].target = place(name);
  for (const auto& [at, name] : table_jumps_)
    for (const std::string& target : branch_tables_[name])
      f_.code[static_cast<std::size_t>(at)].table.push_back(place(target));
}

void parse(Function& f) {
  if (f.parsed) return;
  f.parsed = true;
  if (f.external) return;
  FunctionParser(f).run();
  for (const Instruction& i : f.code) {
    using enum Semantics;
    f.waits = f.waits || i.semantics == acquire || i.semantics == acquire_release || i.semantics == is_volatile ||
              (i.semantics == relaxed && !i.atomic);
    if (i.callee) parse(*i.callee);
  }
}

}  // namespace weir::ptx
