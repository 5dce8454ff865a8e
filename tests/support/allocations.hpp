// Counts every operator new of a test program that compiles allocations.cpp.
#pragma once
#include <cstdint>

namespace weir::test {
std::int64_t allocations();
}
