#include "solvers/krylov/on_device/queued_solves.hpp"

#include "backend/runtime.hpp"
#include "solvers/device/asynchronous/fetch_scalars.hpp"

namespace weir {

SolveQueue::SolveQueue(int solves, int scalars)
    : solves_(solves), seen_(first(solves) + static_cast<std::size_t>(scalars)) {
  places_ = Array<double, Device>(seen_);
}

QueuedSolve SolveQueue::place(int solve) {
  return {places_.data() + first(solve), places_.data(), static_cast<double>(solve + 1)};
}
double* SolveQueue::place_of_scalar(int k) { return places_.data() + scalar(k); }

void SolveQueue::look() { fetch_scalars(places_, std::span<double>(seen_)); }

SeenSolve SolveQueue::seen(int solve) const {
  return {std::span(seen_).subspan(first(solve), QueuedSolve::scalars), seen_.front() != solve + 1};
}

void SolveQueue::go_on() { backend::set_zero(places_.data(), sizeof(double)); }

}  // namespace weir
