#include "tests/ptx/runtime/machine_code.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace weir::ptx {
namespace {

// The file that `command` writes as @out of `text`, which it reads as @ptx; @cubin may lie between. Several tests may
// run at a time: each writes files of its own, then renames.
std::string made_of(const std::string& text, const std::string& kind, std::string command) {
  mkdir(options.cache.c_str(), 0777);
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx", static_cast<unsigned long long>(std::hash<std::string>{}(text)));
  const std::string out = options.cache + name + "." + kind,
                    own = options.cache + name + "." + std::to_string(getpid());
  if (access(out.c_str(), R_OK) == 0) return out;
  std::ofstream(own + ".ptx") << text;
  const auto put = [&](const std::string& word, const std::string& file) {
    for (std::size_t at = command.find(word); at != command.npos; at = command.find(word))
      command.replace(at, word.size(), "'" + file + "'");
  };
  put("@ptx", own + ".ptx");
  put("@cubin", own + ".cubin");
  put("@out", own + ".out");
  if (std::system(command.c_str()) != 0) unsupported("this failed, or its program is not on PATH: " + command);
  unlink((own + ".ptx").c_str());
  unlink((own + ".cubin").c_str());
  rename((own + ".out").c_str(), out.c_str());
  return out;
}

// Every loop with a pragma at its label: an instruction that ptxas copies would be counted as often. No line moves.
std::string without_unrolling(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line(text.data() + begin, end - begin);
    out += line;
    if (line.starts_with("$L__BB") && line.ends_with(":")) out += " .pragma \"nounroll\";";
    out += '\n';
    begin = end + 1;
  }
  return out;
}

// Which instructions of nvdisasm's listing a PTX line has become. Left out is what a kernel seldom runs: the routines
// that ptxas adds ("$__internal..."), and where a warp whose lanes have parted does a shuffle lane by lane (the targets
// of BRA.DIV, each up to its branch back).
class Listing {
 public:
  explicit Listing(std::vector<u16>& issues) : issues_(issues) {}

  void read(const std::string& file_name) {
    std::ifstream file(file_name);
    for (std::string text; std::getline(file, text);) line(text);
  }

 private:
  void line(std::string_view text) {
    constexpr std::string_view of_line = "\", line ";
    if (text.starts_with(".L_x_")) {
      parted_ = parted_ || parted_labels_.contains(text.substr(0, text.find(':')));
    } else if (text.starts_with("$__internal") || text.starts_with(".text.")) {
      of_ptxas_ = text[0] == '$';
    } else if (const std::size_t at = text.find("//## File"); at != text.npos) {
      if (const std::size_t number = text.find(of_line, at); number != text.npos)
        ptx_line_ = std::strtoul(text.data() + number + of_line.size(), nullptr, 10);
    } else if (const std::size_t begin = text.find_first_not_of(" \t");
               begin != text.npos && text.substr(begin, 2) == "/*") {
      const std::size_t operation = text.find_first_not_of(" \t", text.find("*/", begin) + 2);
      if (operation != text.npos) instruction(text.substr(operation));
    }
  }
  void instruction(std::string_view text) {
    if (text.find("BRA.DIV") != text.npos)
      if (const std::size_t label = text.find(".L_x_"); label != text.npos)
        parted_labels_.emplace(text.substr(label, text.find(')', label) - label));
    if (!of_ptxas_ && !parted_ && !text.starts_with("NOP") && ptx_line_ < issues_.size()) ++issues_[ptx_line_];
    if (text.starts_with("BRA ")) parted_ = false;
  }

  std::vector<u16>& issues_;
  std::size_t ptx_line_ = 0;
  bool of_ptxas_ = false, parted_ = false;
  std::set<std::string, std::less<>> parted_labels_;
};

void apply(Function& f) {
  for (Instruction& i : f.code) {
    i.issues = f.module->issues[i.module_line];
    if (i.callee && !i.callee->external) apply(*i.callee);
  }
}

}  // namespace

void read_registers(Module& module) {
  if (module.registers_known) return;
  module.registers_known = true;
  std::ifstream file(made_of(module.text, "registers", "ptxas -arch=sm_90 -v @ptx -o /dev/null > @out 2>&1"));
  Function* kernel = nullptr;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view entry = "entry function '", used = "Used ";
    if (const std::size_t at = line.find(entry); at != line.npos) {
      const std::size_t begin = at + entry.size();
      const auto found = module.functions.find(line.substr(begin, line.find('\'', begin) - begin));
      kernel = found == module.functions.end() ? nullptr : found->second.get();
    }
    if (const std::size_t at = line.find(used); at != line.npos && kernel)
      kernel->registers = std::atoi(line.c_str() + at + used.size());
  }
}

void read_machine_instructions(Function& f) {
  if (options.disassembler.empty()) return;
  Module& module = *f.module;
  if (module.issues.empty()) {
    module.issues.resize(static_cast<std::size_t>(std::count(module.text.begin(), module.text.end(), '\n')) + 2);
    Listing(module.issues)
        .read(
            made_of(without_unrolling(module.text), "listing",
                    "ptxas -arch=sm_90 -lineinfo @ptx -o @cubin && " + options.disassembler + " -gp -c @cubin > @out"));
  }
  apply(f);
}

}  // namespace weir::ptx
