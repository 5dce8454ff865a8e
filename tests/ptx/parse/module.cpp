// A module's outline: functions with their parameters, variables, source files. Bodies are parsed when they are
// launched.
#include <algorithm>
#include <cstdlib>

#include "tests/ptx/machine/memory.hpp"
#include "tests/ptx/parse/program.hpp"
#include "tests/ptx/parse/text.hpp"

namespace weir::ptx {
namespace {

class Scanner {
 public:
  explicit Scanner(Module& module) : module_(module), text_(module.text) {}

  void run() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && in_name(text_[at_])) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (word.empty()) {
        ++at_;
      } else if (word == ".version" || word == ".target" || word == ".address_size" || word == ".file") {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        if (word == ".file") source_file(std::string(text_.substr(at_, end - at_)));
        at_ = end;
      } else if (word == ".section") {
        at_ = behind_brace(text_.find('{', at_));
      } else {
        at_ = begin;
        const std::string_view head = text_.substr(at_, text_.find_first_of(";{=", at_) - at_);
        if (head.find(".entry") != head.npos || head.find(".func") != head.npos)
          function();
        else
          variable();
      }
    }
    fill_pointers();
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  std::size_t behind_brace(std::size_t open) {
    int depth = 0;
    for (std::size_t k = open; k < text_.size(); ++k) {
      if (text_[k] == '"')
        k = text_.find('"', k + 1);
      else if (text_[k] == '{')
        ++depth;
      else if (text_[k] == '}' && --depth == 0)
        return k + 1;
    }
    unsupported("PTX: braces do not match");
  }

  void source_file(const std::string& line) {
    const std::size_t open = line.find('"'), close = line.find('"', open + 1);
    module_.files[std::atoi(line.c_str())] = line.substr(open + 1, close - open - 1);
  }

  void function() {
    std::size_t end = at_;
    for (int depth = 0; end < text_.size(); ++end) {
      if (text_[end] == '(') ++depth;
      if (text_[end] == ')') --depth;
      if (depth == 0 && (text_[end] == '{' || text_[end] == ';')) break;
    }
    auto f = std::make_unique<Function>();
    f->module = &module_;
    f->header = text_.substr(at_, end - at_);
    f->is_kernel = f->header.find(".entry") != f->header.npos;
    f->external = text_[end] == ';';
    at_ = f->external ? end + 1 : behind_brace(end);
    if (!f->external) f->body = text_.substr(end + 1, at_ - end - 2);
    signature(*f);
    std::unique_ptr<Function>& known = module_.functions[f->name];
    if (!known || !f->external) known = std::move(f);
  }

  static void signature(Function& f) {
    const std::string_view h = f.header;
    std::size_t at = f.is_kernel ? h.find(".entry") + 6 : h.find(".func") + 5;
    const auto skip = [&] {
      while (at < h.size() && is_space(h[at])) ++at;
    };
    const auto list = [&](std::vector<Variable>& variables) {
      skip();
      if (at >= h.size() || h[at] != '(') return;
      const std::size_t close = [&] {
        int depth = 0;
        for (std::size_t k = at;; ++k)
          if (h[k] == '(')
            ++depth;
          else if (h[k] == ')' && --depth == 0)
            return k;
      }();
      for (const std::string& text : split(h.substr(at + 1, close - at - 1))) {
        const Declaration d = declaration(text);
        variables.push_back({d.name, Space::param, 0, static_cast<int>(d.size()), d.align});
      }
      at = close + 1;
    };
    list(f.returns);
    skip();
    const std::size_t begin = at;
    while (at < h.size() && in_name(h[at])) ++at;
    f.name = std::string(h.substr(begin, at - begin));
    list(f.params);
    for (Variable& p : f.params) {
      p.offset = f.param_bytes = round_up(f.param_bytes, p.align);
      f.param_bytes += p.size;
    }
    if (const std::size_t bound = h.find(".maxntid", at); bound != h.npos) {
      f.max_threads = 1;
      for (const std::string& word : words_of(h.substr(bound + 8)))
        if (is_number(word))
          f.max_threads *= std::atoi(word.c_str());
        else if (word != ",")
          break;
    }
  }

  void variable() {
    const std::size_t end = text_.find(';', at_);
    const std::string text(text_.substr(at_, end - at_));
    at_ = end + 1;
    const std::vector<std::string> words = words_of(text);
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    const Declaration d = declaration(text);
    if (has(".shared")) {
      if (d.unsized || has(".extern")) module_.dynamic_shared = d.name;
      module_.shared[d.name] = {d.name, Space::shared, -1, static_cast<int>(d.size()), d.align};
    } else if (has(".global") || has(".const")) {
      if (has(".extern")) return report("note: extern variable " + d.name);
      const u64 at = allocate(static_cast<u64>(std::max<s64>(d.size(), 1)));
      std::memset(real(at), 0, static_cast<std::size_t>(d.size()));
      module_.globals[d.name] = {at, d.size()};
      initialise(d, at);
    }
  }

  void initialise(const Declaration& d, u64 at) {
    std::string values = d.initial;
    for (char& c : values)
      if (c == '{' || c == '}') c = ' ';
    for (const std::string& value : split(values)) {
      if (is_number(value)) {
        const u64 bits = bits_of_number(value, d.type);
        std::memcpy(real(at), &bits, static_cast<std::size_t>(bytes_of(d.type)));
      } else {
        pointers_.push_back({at, value});
      }
      at += static_cast<u64>(bytes_of(d.type));
    }
  }

  void fill_pointers() {  // a variable may point to one that is declared later
    for (auto& [at, name] : pointers_) {
      if (name.starts_with("generic(")) name = name.substr(8, name.find(')') - 8);
      const auto found = module_.globals.find(trim(name));
      if (found == module_.globals.end()) unsupported("initialiser " + name);
      std::memcpy(real(at), &found->second.address, 8);
    }
  }

  Module& module_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::pair<u64, std::string>> pointers_;
};

}  // namespace

void scan(Module& module) {
  if (module.scanned) return;
  module.scanned = true;
  module.text = without_comments(module.text);
  Scanner(module).run();
}

}  // namespace weir::ptx
