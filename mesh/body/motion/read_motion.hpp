// The key `motion` of [body].
#pragma once
#include "base/table.hpp"
#include "mesh/body/motion/motion_laws.hpp"

namespace weir {

Options motion_options();                       // `type` only
Options motion_options(std::string_view type);  // the keys of one type
void read_motion(const Table& body, Motion& motion);

// Two or three numbers, the third one 0 by default.
Vec3 read_vector(const Table& t, const char* key);

}  // namespace weir
