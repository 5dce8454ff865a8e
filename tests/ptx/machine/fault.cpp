// Where and why a kernel stopped.
#include <set>

#include "tests/ptx/machine/machine.hpp"

namespace weir::ptx {

std::string place_of(const Context& c, int lane) {
  const Extent block = c.launch->request.block, &index = c.block->index;
  const u32 t = static_cast<u32>(c.warp->number * 32 + lane);
  const auto triple = [](u32 x, u32 y, u32 z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
  };
  return "block " + triple(index.x, index.y, index.z) + " thread " +
         triple(t % block.x, t / block.x % block.y, t / (block.x * block.y));
}

std::string place_of(const Function& f, const Instruction& i) {
  const auto file = f.module->files.find(static_cast<int>(i.file));
  return "'" + f.texts[static_cast<std::size_t>(i.text)] + "'" +
         (file == f.module->files.end() ? "" : " (" + file->second + ":" + std::to_string(i.line) + ")");
}

void fault(const Context& c, const Instruction& i, int lane, int code, const std::string& what) {
  throw Fault{code, what + " in " + demangled(c.launch->kernel->name) + ", " + place_of(c, lane) + ", at " +
                        place_of(*c.function, i)};
}

void note(const Context& c, const Instruction& i, int lane, const std::string& what) {
  static std::set<std::string> noted;
  const std::string where = place_of(*c.function, i);
  if (noted.insert(what + where + c.launch->kernel->name).second)
    report("note: " + what + " in " + demangled(c.launch->kernel->name) + ", " + place_of(c, lane) + ", at " + where);
}

}  // namespace weir::ptx
