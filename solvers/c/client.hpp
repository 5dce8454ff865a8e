// The solver of a handle of weir.h. Handles are numbers, not addresses, and each is used once: the handle of a
// destroyed solver, or a number that never was a handle, is recognised.
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <string>

#include "base/error.hpp"
#include "solvers/c/solver.hpp"
#include "solvers/c/weir.h"

namespace weir::c {

struct Client {
  std::string options, description, error;
  std::atomic<bool> is_cancelled{false}, is_in_use{false};
  int threads = 0;
  weir_csr shape{};         // of the last setup with a matrix; its pointers are valid with WEIR_BORROW only
  std::int64_t blocks = 0;  // of that matrix; 0: none
  std::int64_t size = 0;    // unknowns; 0: no setup yet
  bool on_device = false;
  std::unique_ptr<Communicator> ranks = std::make_unique<Communicator>();
  std::unique_ptr<AnySolver> solver;
  std::unique_ptr<weir_capture, void (*)(weir_capture*)> record{nullptr, weir_capture_close};
  std::filesystem::path records;  // WEIR_CAPTURE, until the first system
  bool is_new_pattern = false;
};

weir_solver_t* add_client(std::shared_ptr<Client> client);
std::shared_ptr<Client> find_client(const weir_solver_t* handle);    // null: no live solver
std::shared_ptr<Client> remove_client(const weir_solver_t* handle);  // the same

// WEIR_BAD_INPUT. The message is that of this thread's calls without a solver and, until one succeeds, with this
// handle.
int refuse_call(const weir_solver_t* handle, const char* message);
int refuse_handle(const weir_solver_t* handle);  // null, destroyed or never created
const char* last_message(const weir_solver_t* handle);

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
  } catch (const std::filesystem::filesystem_error& error) {
    message = error.what();
    return WEIR_FILE_IO;
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    message = "an exception of unknown type";
  }
  return WEIR_INTERNAL;
}

// One call of a solver, with its number of threads; none but this one until the end of the object's life.
class Call {
 public:
  explicit Call(const weir_solver_t* handle);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  Client* client() const { return client_.get(); }  // null: the call has been refused
 private:
  std::shared_ptr<Client> client_;
  int threads_before_;
};

template <class F>
int guarded(const weir_solver_t* handle, const F& f) {
  const Call call(handle);
  if (!call.client()) return WEIR_BAD_INPUT;
  return guarded(call.client()->error, [&] { f(*call.client()); });
}

}  // namespace weir::c
