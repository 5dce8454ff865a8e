// Messages: which thread, at which place of the source.
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "checker.hpp"
#include "machine.hpp"

namespace weir::simt {

std::string format(const char* text, ...) {
  char buffer[1024];
  va_list list;
  va_start(list, text);
  std::vsnprintf(buffer, sizeof buffer, text, list);
  va_end(list);
  return buffer;
}

std::string describe(const Thread& t) {
  const Machine& m = machine();
  if (m.in_loop) return format("index %u", t.block->id);
  return format("block (%u,%u,%u) thread (%u,%u,%u)", t.block->index.x, t.block->index.y, t.block->index.z, t.index.x,
                t.index.y, t.index.z);
}

std::string describe(const Where& at) { return format("%s:%u:%u", at.file_name(), at.line(), at.column()); }

bool same_place(const Where& a, const Where& b) {  // column too: two barriers on one line are two
  return a.line() == b.line() && a.column() == b.column() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

std::string describe_code(std::uint32_t offset) {
  std::string fallback = format("code +0x%x", offset);
  char program[512];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n < 0) return fallback;
  program[n] = 0;
  std::FILE* pipe = popen(format("addr2line -e '%s' -i 0x%x 2>/dev/null", program, offset - 1).c_str(), "r");
  if (!pipe) return fallback;
  // The innermost frames may be the dialect's or a view's: the first one outside of them is the kernel's line.
  std::string innermost;
  char line[512];
  bool found = false;
  while (!found && std::fgets(line, sizeof line, pipe)) {
    std::string place(line, std::strcspn(line, " \n"));
    if (innermost.empty()) innermost = place;
    found = place.find("solvers/device/") == std::string::npos || place.find("tests/") != std::string::npos;
    if (found) innermost = place;
  }
  pclose(pipe);
  return innermost.empty() || innermost[0] == '?' ? fallback : innermost;
}

std::string describe_deadlock() {
  constexpr const char* names[] = {"can run", "wait at the block barrier", "wait at the warp collective",
                                   "wait at the grid barrier", "have finished"};
  std::string text = "deadlock:";
  int shown = 0;
  for (const auto& b : machine().blocks) {
    if (b->live == 0 || shown++ == 2) continue;
    std::map<std::pair<State, std::string>, std::pair<int, const Thread*>> groups;
    for (const Thread& t : b->threads) {
      auto& g = groups[{t.state, t.state == State::finished ? "" : " " + describe(t.at)}];
      if (g.first++ == 0) g.second = &t;
    }
    for (const auto& [key, g] : groups)
      text += format("\n  %d thread(s) %s%s, first ", g.first, names[static_cast<int>(key.first)], key.second.c_str()) +
              describe(*g.second);
  }
  return text;
}

}  // namespace weir::simt
