#include "tests/ptx/base.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

namespace weir::ptx {
namespace {

// WORD or WORD@FILE:LINE.
void mutant_of(const std::string& text, Options& o) {
  const std::size_t at = text.find('@'), colon = text.rfind(':');
  o.mutant = text.substr(0, at);
  if (at == text.npos) return;
  o.mutant_file = text.substr(at + 1, colon - at - 1);
  o.mutant_line = static_cast<u32>(std::atoi(text.c_str() + colon + 1));
}

Options options_of_environment() {
  Options o;
  const auto text = [](const char* name) { return std::getenv((std::string("WEIR_PTX_") + name).c_str()); };
  const auto number = [&](const char* name, auto& value) {
    if (const char* t = text(name)) value = static_cast<std::decay_t<decltype(value)>>(std::strtod(t, nullptr));
  };
  number("SEED", o.seed);
  number("RESIDENT", o.resident);
  number("STEPS", o.steps);
  number("WEAK", o.weak);
  number("LATE", o.late);
  number("REVERSE", o.reverse);
  number("EAGER", o.eager);
  number("VERBOSE", o.verbose);
  number("DEVICES", o.devices);
  number("LINES", o.lines);
  number("L1", o.l1);
  number("L2", o.l2);
  if (const char* t = text("MUTANT")) mutant_of(t, o);
  if (const char* t = text("STATS")) o.statistics = t;
  if (const char* t = text("LOG")) o.log = t;
  if (const char* t = text("DISASSEMBLER")) o.disassembler = t;
  if (const char* t = text("CACHE")) {
    o.cache = t;
  } else {
    const char* scratch = std::getenv("TMPDIR");
    o.cache = std::string(scratch ? scratch : "/tmp") + "/weir-ptx-cache-" + std::to_string(getuid());
  }
  if (const char* t = text("ORDER")) {
    const std::string name = t;
    if (name == "warps") o.schedule = Schedule::warps;
    if (name == "lanes") o.schedule = Schedule::lanes;
    if (name != "convergent" && o.schedule == Schedule::convergent) {
      std::fprintf(stderr, "ptx: WEIR_PTX_ORDER is convergent, warps or lanes, not '%s'\n", t);
      _exit(99);
    }
  }
  return o;
}

}  // namespace

const Options options = options_of_environment();

u64 random_number() {  // splitmix64
  static u64 state = 0x9e3779b97f4a7c15ull ^ (options.seed * 0x2545f4914f6cdd1dull);
  u64 z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void report(const std::string& what) {
  std::fprintf(stderr, "ptx: %s\n", what.c_str());
  if (!options.log.empty()) std::ofstream(options.log, std::ios::app) << getpid() << " " << what << "\n";
}

void unsupported(const std::string& what) {
  report("UNSUPPORTED: " + what);
  _exit(99);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace weir::ptx
