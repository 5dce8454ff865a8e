// `none`: z = r.   `jacobi`: z = omega D^-1 r, D the scalar diagonal of A.
#pragma once
#include "solvers/device/array.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Preconditioner<Space>> make_none(const Table& options);

// Option `relaxation` = 1: omega.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_jacobi(const Table& options);

}  // namespace weir
