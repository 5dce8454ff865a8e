// A user's shared library behind weir_plugin.h: found, checked, and called so that whatever it does wrong has the
// library and the call in its message. What it returns as an error, and what it throws, comes back as words. A call
// that changes what it was to read, or the floating-point environment, has failed (of memory on the host, where the
// whole matrix is looked at after setup and update, a part of it in turn and the vector after the other calls).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "solvers/plugin/weir_plugin.h"

namespace weir {

// Error(usage) that says what is wrong with it: not loadable, no weir_plugin(), another version, functions missing. It stays
// loaded.
const weir_plugin_description& plugin_in(const std::string& path);

std::string hash_of_file(const std::string& path);  // 16 hexadecimal digits

// One solver of a library.
class Plugin {
 public:
  // file: for messages. Error(usage): create refused the options.
  Plugin(const weir_plugin_description& description, std::string file, const std::string& options);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const weir_plugin_description& description() const { return description_; }
  const std::string& file() const { return file_; }  // "libsgs.so"
  void setup(const weir_matrix& A);                  // Error(solver_failed)
  void update(const weir_matrix& A);
  // False where the call failed: complaint() says why. No allocation where it did not.
  bool apply(const double* r, double* z, std::int64_t n);
  bool solve(const double* b, double* x, std::int64_t n, double target, int max_iterations, int& iterations);
  void tell_complaint();  // on standard error, once
  std::int64_t bytes();
  const std::string& complaint() const { return complaint_; }  // of the first call that failed

 private:
  template <class F>
  bool call(const char* name, const F& f);
  template <class F>
  bool guarded(const char* name, const double* vector, std::int64_t n, bool whole_matrix, const F& f);
  std::uint64_t fingerprint(const double* vector, std::int64_t n, bool whole_matrix) const;
  void destroy();

  const weir_plugin_description& description_;
  std::string file_, complaint_;
  weir_solver* solver_ = nullptr;
  weir_matrix matrix_{};        // as the last setup or update saw it
  std::int64_t looked_at_ = 0;  // calls that have looked at a part of it
  bool has_told_ = false;
};

}  // namespace weir
