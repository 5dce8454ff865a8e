// One maker a method; krylov.cpp lists them.
#pragma once
#include <memory>

#include "solvers/krylov/krylov.hpp"

namespace weir {

template <class Space>
std::unique_ptr<Krylov<Space>> make_cg(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_chebyshev(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_correction(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_bicgstab(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_pipelined_cg(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_pipelined_bicgstab(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_gmres(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_fgmres(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_bicgstab_l(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_idrs(const KrylovOptions& options);
template <class Space>
std::unique_ptr<Krylov<Space>> make_refinement(const KrylovOptions& options);

}  // namespace weir
