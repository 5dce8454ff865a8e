#include "solvers/c/weir.h"

#include <omp.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "base/error.hpp"
#include "solvers/c/solver.hpp"

using weir::Error, weir::Exit;

struct weir_solver_t {
  std::string options, description;
  mutable std::string error;
  std::atomic<bool> is_cancelled{false};
  int threads = 0;
  weir_csr shape{};         // of the last setup with a matrix; its pointers are no longer valid
  std::int64_t blocks = 0;  // of that matrix; 0: none
  std::int64_t size = 0;    // unknowns; 0: no setup yet
  bool on_device = false;
  std::unique_ptr<weir::c::AnySolver> solver;
};

namespace {

thread_local std::string error_without_solver;

// f(), its exceptions turned into a code and a message.
template <class F>
int guarded(std::string& message, const F& f) {
  try {
    f();
    return WEIR_OK;
  } catch (const Error& error) {
    message = error.what();
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    message = "out of memory";
    return WEIR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    message = "an exception of unknown type";
  }
  return WEIR_INTERNAL;
}

class Threads {
 public:
  explicit Threads(int threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(threads);
  }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

template <class F>
int guarded(weir_solver_t* s, const F& f) {
  if (!s) {
    error_without_solver = "the solver is a null pointer";
    return WEIR_BAD_INPUT;
  }
  const Threads threads(s->threads);
  return guarded(s->error, f);
}

void refuse_if(bool is_wrong, const char* message) {
  if (is_wrong) throw Error(Exit::usage, message);
}

// As much of a struct of the caller as he knows of it; the rest zero.
template <class T>
T known_part(const T* given, const char* name) {
  refuse_if(!given, "a struct is a null pointer");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, given, sizeof bytes);
  if (bytes < 8 || bytes > 4096)
    throw Error(Exit::usage,
                std::string(name) + ".bytes is " + std::to_string(bytes) + "; expected sizeof(" + name + ")");
  T known{};
  std::memcpy(&known, given, std::min<std::size_t>(bytes, sizeof known));
  return known;
}

int reason_of(weir::Reason reason) {
  switch (reason) {
    case weir::Reason::converged:
      return WEIR_CONVERGED;
    case weir::Reason::max_iterations:
      return WEIR_MAX_ITERATIONS;
    case weir::Reason::breakdown:
      return WEIR_BREAKDOWN;
    case weir::Reason::stagnated:
      return WEIR_STAGNATED;
    case weir::Reason::not_finite:
      return WEIR_DIVERGED;
    case weir::Reason::interrupted:
      return WEIR_CANCELLED;
  }
  return WEIR_BREAKDOWN;
}

void report(const weir_solver_t& s, const weir::SolveResult& solved, weir_result* result) {
  if (!result) return;
  const std::uint32_t bytes = known_part(result, "weir_result").bytes;
  const weir::SetupInfo info = s.solver->info();
  const weir_result full{bytes,
                         reason_of(solved.reason),
                         solved.iterations,
                         0,
                         solved.residual0,
                         solved.true_residual,
                         solved.target,
                         info.seconds,
                         solved.solve_seconds,
                         info.bytes};
  std::memcpy(result, &full, std::min<std::size_t>(bytes, sizeof full));
}

// The solver of the space that the arrays are in, made again where the space is another.
void choose_space(weir_solver_t& s, bool on_device) {
  if (on_device == s.on_device) return;
  const auto is_cancelled = [&s] { return s.is_cancelled.load(std::memory_order_relaxed); };
  if (on_device)
    s.solver = weir::c::make_solver<weir::Device>(s.options, is_cancelled);
  else
    s.solver = weir::c::make_solver<weir::Host>(s.options, is_cancelled);
  s.on_device = on_device;
  s.size = 0;
}

int solve(weir_solver_t* s, bool is_transposed, int k, const double* b, std::int64_t stride_b, double* x,
          std::int64_t stride_x, weir_result* results) {
  return guarded(s, [&] {
    refuse_if(s->size == 0, "no matrix yet: call weir_setup first");
    refuse_if(k < 1, "the number of right-hand sides is less than 1");
    refuse_if(!b || !x, "b or x is a null pointer");
    refuse_if(k > 1 && (stride_b < s->size || stride_x < s->size), "a stride is less than the number of unknowns");
    std::uint32_t bytes = results ? known_part(results, "weir_result").bytes : 0;
    for (int j = 0; j < k; ++j) {
      weir_result* result =
          results ? reinterpret_cast<weir_result*>(reinterpret_cast<char*>(results) + j * bytes) : nullptr;
      if (result) result->bytes = bytes;
      report(*s, s->solver->solve(is_transposed, b + j * stride_b, x + j * stride_x), result);
      if (s->is_cancelled.exchange(false)) break;
    }
  });
}

int apply(weir_solver_t* s, bool is_transposed, const double* r, double* z) {
  return guarded(s, [&] {
    refuse_if(s->size == 0, "no matrix yet: call weir_setup first");
    refuse_if(!r || !z, "r or z is a null pointer");
    s->solver->apply(is_transposed, r, z);
  });
}

}  // namespace

extern "C" {

const char* weir_version(void) { return WEIR_VERSION; }
int weir_c_abi(void) { return WEIR_C_ABI; }

int weir_create(const char* options, weir_solver_t** solver) {
  if (!solver) {
    error_without_solver = "the address of the solver is a null pointer";
    return WEIR_BAD_INPUT;
  }
  *solver = nullptr;
  return guarded(error_without_solver, [&] {
    auto s = std::make_unique<weir_solver_t>();
    s->options = options ? options : "";
    s->solver = weir::c::make_solver<weir::Host>(
        s->options, [p = s.get()] { return p->is_cancelled.load(std::memory_order_relaxed); });
    *solver = s.release();
  });
}

void weir_destroy(weir_solver_t* solver) { delete solver; }

const char* weir_error(const weir_solver_t* solver) {
  return solver ? solver->error.c_str() : error_without_solver.c_str();
}

const char* weir_describe(weir_solver_t* s) {
  const int code = guarded(s, [&] { s->description = s->solver->describe(); });
  return code == WEIR_OK ? s->description.c_str() : "";
}

int weir_set_threads(weir_solver_t* s, int threads) {
  return guarded(s, [&] {
    refuse_if(threads < 0 || threads > 4096, "the number of threads is not between 0 and 4096");
    s->threads = threads;
  });
}

int weir_setup(weir_solver_t* s, const weir_csr* A) {
  return guarded(s, [&] {
    const weir_csr known = known_part(A, "weir_csr");
    weir::BlockCsrData data = weir::c::read(known);
    const std::int64_t blocks = data.row_start.back();
    choose_space(*s, known.flags & WEIR_ON_DEVICE);
    s->size = s->blocks = 0;
    s->solver->setup(std::move(data));
    s->shape = known;
    s->blocks = blocks;
    s->size = known.rows * known.block;
  });
}

int weir_update(weir_solver_t* s, const double* value) {
  return guarded(s, [&] {
    refuse_if(s->blocks == 0, "no matrix yet: call weir_setup first");
    refuse_if(!value, "value is a null pointer");
    s->solver->update(weir::c::read_values(s->shape, s->blocks, value));
  });
}

int weir_setup_operator(weir_solver_t* s, int64_t size, uint32_t flags, weir_operator operation, void* context,
                        const weir_csr* near) {
  return guarded(s, [&] {
    refuse_if(!operation, "the operator is a null pointer");
    refuse_if(size < 1 || size > 2147483647, "size is not between 1 and 2147483647");
    weir::BlockCsrData data;
    if (near) {
      const weir_csr known = known_part(near, "weir_csr");
      refuse_if(known.rows * known.block != size, "near has another number of unknowns than the operator");
      data = weir::c::read(known);
    }
    choose_space(*s, flags & WEIR_ON_DEVICE);
    s->size = s->blocks = 0;
    s->solver->setup_operator(size, flags, operation, context, near ? &data : nullptr);
    s->size = size;
  });
}

int weir_solve(weir_solver_t* s, const double* b, double* x, weir_result* result) {
  return solve(s, false, 1, b, 0, x, 0, result);
}

int weir_solve_transposed(weir_solver_t* s, const double* b, double* x, weir_result* result) {
  return solve(s, true, 1, b, 0, x, 0, result);
}

int weir_solve_many(weir_solver_t* s, int k, const double* b, int64_t stride_b, double* x, int64_t stride_x,
                    weir_result* results) {
  return solve(s, false, k, b, stride_b, x, stride_x, results);
}

int weir_apply(weir_solver_t* s, const double* r, double* z) { return apply(s, false, r, z); }
int weir_apply_transposed(weir_solver_t* s, const double* r, double* z) { return apply(s, true, r, z); }

int weir_history(weir_solver_t* s, const double** norms, int32_t* count) {
  return guarded(s, [&] {
    refuse_if(!norms || !count, "norms or count is a null pointer");
    const std::vector<double>& history = s->solver->history();
    *norms = history.data();
    *count = static_cast<std::int32_t>(history.size());
  });
}

int weir_cancel(weir_solver_t* s) {
  if (!s) return WEIR_BAD_INPUT;
  s->is_cancelled = true;
  return WEIR_OK;
}

}  // extern "C"
