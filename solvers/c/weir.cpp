#include "solvers/c/weir.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "solvers/c/bands.hpp"
#include "solvers/c/client.hpp"
#include "solvers/c/solver.hpp"
#include "solvers/parallel/agree.hpp"

using weir::Error, weir::Exit;
using weir::c::Client, weir::c::guarded;

constexpr bool is_of_header(int major, int minor, int patch) {
  return major == WEIR_VERSION_MAJOR && minor == WEIR_VERSION_MINOR && patch == WEIR_VERSION_PATCH;
}
static_assert(is_of_header(WEIR_VERSION_OF_PROJECT), "weir.h and CMakeLists.txt name different versions");

namespace {

void refuse_if(bool is_wrong, const char* message) {
  if (is_wrong) throw Error(Exit::usage, message);
}

// The members of a struct that the caller's weir.h has; the others are zero. least: the size of the first version.
template <class T>
T known_part(const T* given, const char* name, std::uint32_t least) {
  refuse_if(!given, "a struct is a null pointer");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, given, sizeof bytes);
  if (bytes < least || bytes > 4096)
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

void report(const Client& s, const weir::SolveResult& solved, weir_result* result) {
  if (!result) return;
  const std::uint32_t bytes = known_part(result, "weir_result", 8).bytes;
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

// A matrix of the caller's, checked on all ranks.
struct Given {
  Given() = default;
  Given(const weir::Communicator& ranks, const weir_csr* A) {  // collective
    weir::all_or_none(ranks, [&] {
      shape = known_part(A, "weir_csr", 48);
      weir::c::check_shape(shape);
    });
    parts = weir::c::RowParts(ranks, shape.rows);
    const int block = static_cast<int>(ranks.max(shape.block));
    weir::all_or_none(ranks, [&] {
      refuse_if(shape.block != block, "the ranks give blocks of different sizes");
      data = weir::c::read(shape, parts);
    });
    weir::c::find_facts(shape.flags, parts, data);
  }
  weir_csr shape{};
  weir::c::RowParts parts;
  weir::BlockCsrData data;
};

// The solver of the space that the arrays are in.
void make_solver(Client& s, bool on_device) {
  const auto is_cancelled = [&s] { return s.is_cancelled.load(std::memory_order_relaxed); };
  if (on_device)
    s.solver = weir::c::make_solver<weir::Device>(s.options, is_cancelled);
  else
    s.solver = weir::c::make_solver<weir::Host>(s.options, is_cancelled);
  s.on_device = on_device;
  s.size = s.blocks = 0;
}
void choose_space(Client& s, bool on_device) {
  if (on_device != s.on_device) make_solver(s, on_device);
}

void record_into(Client& s, const char* folder) {
  s.records.clear();
  s.is_new_pattern = true;
  s.record.reset(folder ? weir_capture_open(folder, "client", 0) : nullptr);
  if (folder && weir_capture_failed(s.record.get())) throw Error(Exit::file_io, weir_capture_error(s.record.get()));
}
void record(Client& s, const double* b, const double* x) {
  if (!s.records.empty()) {
    std::filesystem::create_directories(s.records);
    int number = 1;
    while (!std::filesystem::create_directory(s.records / std::to_string(number))) ++number;
    record_into(s, (s.records / std::to_string(number)).c_str());
  }
  if (!s.record) return;
  s.solver->record(s.record.get(), s.is_new_pattern, b, x);
  s.is_new_pattern = false;
}

// The communicator from `duplicate()` for all later calls.
template <class F>
int distribute(weir_solver_t* handle, const F& duplicate) {
  return guarded(handle, [&](Client& s) {
    auto ranks = duplicate();
    s.solver.reset();
    s.ranks = std::move(ranks);
    make_solver(s, s.on_device);
  });
}

int solve(weir_solver_t* handle, bool is_transposed, int k, const double* b, std::int64_t stride_b, double* x,
          std::int64_t stride_x, weir_result* results) {
  return guarded(handle, [&](Client& s) {
    weir::all_or_none(*s.ranks, [&] {
      refuse_if(s.size == 0, "no matrix yet: call weir_setup first");
      refuse_if(k < 1, "the number of right-hand sides is less than 1");
      refuse_if(!b || !x, "b or x is a null pointer");
      refuse_if(k > 1 && (stride_b < s.size || stride_x < s.size), "a stride is less than the number of unknowns");
      if (results) known_part(results, "weir_result", 8);
    });
    const std::uint32_t bytes = results ? known_part(results, "weir_result", 8).bytes : 0;
    std::vector<weir::SolveResult> solved(static_cast<std::size_t>(k), {.reason = weir::Reason::interrupted});
    if (!s.ranks->any(s.is_cancelled)) {
      for (int j = 0; !is_transposed && j < k && s.ranks->size() == 1; ++j)
        record(s, b + j * stride_b, x + j * stride_x);
      solved = s.solver->solve(is_transposed, k, b, stride_b, x, stride_x);
    }
    for (std::size_t j = 0; results && j < solved.size(); ++j) {
      auto* result = reinterpret_cast<weir_result*>(reinterpret_cast<char*>(results) + j * bytes);
      result->bytes = bytes;
      report(s, solved[j], result);
    }
    s.is_cancelled = false;
  });
}

int apply(weir_solver_t* handle, bool is_transposed, const double* r, double* z) {
  return guarded(handle, [&](Client& s) {
    weir::all_or_none(*s.ranks, [&] {
      refuse_if(s.size == 0, "no matrix yet: call weir_setup first");
      refuse_if(!r || !z, "r or z is a null pointer");
    });
    s.solver->apply(is_transposed, r, z);
  });
}

}  // namespace

extern "C" {

const char* weir_version(void) { return WEIR_VERSION; }
int weir_c_abi(void) { return WEIR_C_ABI; }

int weir_create(const char* options, weir_solver_t** solver) {
  if (!solver) return weir::c::refuse_call(nullptr, "the address of the solver is a null pointer");
  *solver = nullptr;
  std::string message;
  const int code = guarded(message, [&] {
    auto s = std::make_shared<Client>();
    s->options = options ? options : "";
    if (const char* folder = std::getenv("WEIR_CAPTURE")) s->records = folder;
    make_solver(*s, false);
    *solver = weir::c::add_client(std::move(s));
  });
  if (code != WEIR_OK) weir::c::refuse_call(nullptr, message.c_str());
  return code;
}

void weir_destroy(weir_solver_t* solver) { weir::c::remove_client(solver); }

const char* weir_error(const weir_solver_t* solver) { return weir::c::last_message(solver); }

const char* weir_describe(weir_solver_t* handle) {
  const char* text = "";
  guarded(handle, [&](Client& s) {
    s.description = s.solver->describe();
    text = s.description.c_str();
  });
  return text;
}

int weir_set_threads(weir_solver_t* handle, int threads) {
  return guarded(handle, [&](Client& s) {
    refuse_if(threads < 0 || threads > 4096, "the number of threads is not between 0 and 4096");
    s.threads = threads;
  });
}

int weir_set_communicator(weir_solver_t* handle, const void* mpi_comm) {
  return distribute(handle, [&] {
    refuse_if(!mpi_comm, "the address of the communicator is a null pointer");
    return weir::duplicate_communicator(mpi_comm);
  });
}
int weir_set_communicator_f(weir_solver_t* handle, int mpi_comm) {
  return distribute(handle, [&] { return weir::duplicate_communicator(mpi_comm); });
}

int weir_setup(weir_solver_t* handle, const weir_csr* A) {
  return guarded(handle, [&](Client& s) {
    Given given(*s.ranks, A);
    const bool is_lent = given.shape.flags & WEIR_BORROW;
    if (is_lent) weir::c::check_lent(given.shape, given.parts);
    const auto blocks = static_cast<std::int64_t>(given.data.column.size());
    choose_space(s, given.shape.flags & WEIR_ON_DEVICE);
    s.size = s.blocks = 0;
    s.solver->setup(std::move(given.data), given.parts, is_lent ? &given.shape : nullptr);
    s.shape = given.shape;
    s.is_new_pattern = true;
    s.blocks = blocks;
    s.size = given.shape.rows * given.shape.block;
  });
}

int weir_setup_stencil(weir_solver_t* handle, const weir_stencil* A) {
  return guarded(handle, [&](Client& s) {
    refuse_if(s.ranks->size() > 1, "a stencil cannot be distributed: pass its rows to weir_setup");
    const auto stencil = known_part(A, "weir_stencil", 32);
    weir::c::check_shape(stencil);
    weir_csr shape = weir::c::as_rows(stencil);
    const std::int64_t values = (stencil.cells[2] > 1 ? 7 : 5) * shape.rows;
    const std::vector<double> bands = weir::c::read_values(shape, values, stencil.value);
    choose_space(s, stencil.flags & WEIR_ON_DEVICE);
    s.size = s.blocks = 0;
    s.solver->setup_stencil(stencil, bands);
    s.shape = shape;
    s.is_new_pattern = true;
    s.blocks = values;
    s.size = shape.rows;
  });
}

int weir_update(weir_solver_t* handle, const double* value) {
  return guarded(handle, [&](Client& s) {
    std::vector<double> values;
    weir::all_or_none(*s.ranks, [&] {
      refuse_if(s.blocks == 0, "no matrix yet: call weir_setup first");
      refuse_if(!value, "value is a null pointer");
      refuse_if(s.shape.flags & WEIR_BORROW && value != s.shape.value,
                "new values of a borrowed matrix must be written into the array that was passed to weir_setup");
      values = weir::c::read_values(s.shape, s.blocks, value);
    });
    s.solver->update(values);
  });
}

int weir_setup_operator(weir_solver_t* handle, int64_t size, uint32_t flags, weir_operator operation, void* context,
                        const weir_csr* near) {
  return guarded(handle, [&](Client& s) {
    weir::all_or_none(*s.ranks, [&] {
      refuse_if(!operation, "the operator is a null pointer");
      refuse_if(size < 1 || size > 2147483647, "size is not between 1 and 2147483647");
    });
    const weir::c::RowParts parts(*s.ranks, size);
    Given given;
    if (s.ranks->any(near)) {
      given = Given(*s.ranks, near);
      weir::all_or_none(*s.ranks, [&] {
        refuse_if(given.shape.rows * given.shape.block != size,
                  "`near` and the operator differ in their number of unknowns");
      });
    }
    choose_space(s, flags & WEIR_ON_DEVICE);
    s.size = s.blocks = 0;
    s.solver->setup_operator(parts, flags, operation, context, near ? &given.data : nullptr, given.parts);
    s.size = size;
  });
}

int weir_solve(weir_solver_t* handle, const double* b, double* x, weir_result* result) {
  return solve(handle, false, 1, b, 0, x, 0, result);
}

int weir_solve_transposed(weir_solver_t* handle, const double* b, double* x, weir_result* result) {
  return solve(handle, true, 1, b, 0, x, 0, result);
}

int weir_solve_many(weir_solver_t* handle, int k, const double* b, int64_t stride_b, double* x, int64_t stride_x,
                    weir_result* results) {
  return solve(handle, false, k, b, stride_b, x, stride_x, results);
}

int weir_apply(weir_solver_t* handle, const double* r, double* z) { return apply(handle, false, r, z); }
int weir_apply_transposed(weir_solver_t* handle, const double* r, double* z) { return apply(handle, true, r, z); }

int weir_history(weir_solver_t* handle, const double** norms, int32_t* count) {
  return guarded(handle, [&](Client& s) {
    refuse_if(!norms || !count, "norms or count is a null pointer");
    const std::vector<double>& history = s.solver->history();
    *norms = history.data();
    *count = static_cast<std::int32_t>(history.size());
  });
}

int weir_record(weir_solver_t* handle, const char* folder) {
  return guarded(handle, [&](Client& s) {
    refuse_if(s.ranks->size() > 1, "distributed systems cannot be recorded");
    record_into(s, folder);
  });
}

int weir_cancel(weir_solver_t* handle) {
  const auto s = weir::c::find_client(handle);
  if (!s) return weir::c::refuse_handle(handle);
  s->is_cancelled = true;
  return WEIR_OK;
}

}  // extern "C"
