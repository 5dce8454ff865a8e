// Which of the tables knows an opcode.
#include <array>

#include "tests/ptx/arithmetic/lane_ops.hpp"

namespace weir::ptx {

bool bind_arithmetic(Instruction& i, const std::vector<std::string>& words) {
  const Opcode opcode(words);
  const std::string& name = opcode.name();
  if (name == "setp" || name == "set" || name == "selp" || name == "testp" || name == "isspacep") {
    i.execute = comparison(i, opcode);
    return i.execute != nullptr;
  }
  if (const Execute move = move_operation(i, opcode)) {
    i.execute = move;
    return true;
  }
  if (name == "mov") return false;
  i.variant = opcode.has("rz") || opcode.has("rzi")   ? to_zero
              : opcode.has("rm") || opcode.has("rmi") ? down
              : opcode.has("rp") || opcode.has("rpi") ? up
                                                      : to_nearest;
  if (name == "cvt")
    i.execute = conversion(i, opcode);
  else if (i.type == F64 || i.type == F32)
    i.execute = float_operation(i, opcode);
  else if (const Execute bits = bit_operation(i, opcode))
    i.execute = bits;
  else
    i.execute = integer_operation(i, opcode);
  return i.execute != nullptr;
}

}  // namespace weir::ptx
