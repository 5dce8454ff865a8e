// The key `motion` of [body]: read_body.hpp tells its words.
#pragma once
#include "base/table.hpp"
#include "mesh/body/motion/motion.hpp"

namespace weir {

void read_motion(const Table& body, Motion& motion);

// Up to three numbers of a key, the missing ones 0.
Vec3 read_vector(const Table& t, const char* key, const Vec3& fallback);

}  // namespace weir
