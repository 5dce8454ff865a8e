// Loads a user's shared library with the interface weir_plugin.h, checks it, and calls it so that every failure is
// reported with library and call. Error codes and exceptions become messages. A call that changes its input or the
// floating-point environment fails (checked for host memory: the whole matrix after setup and update, part of it and
// the vector after other calls).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "solvers/plugin/weir_plugin.h"

namespace weir {

// Throws Error(usage): not loadable, no weir_plugin(), another version, missing functions. Stays loaded.
const weir_plugin_description& plugin_in(const std::string& path);

std::string hash_of_file(const std::string& path);  // 16 hexadecimal digits

class Plugin {
 public:
  // file: for messages. Throws Error(usage) if create refused the options.
  Plugin(const weir_plugin_description& description, std::string file, const std::string& options);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const weir_plugin_description& description() const { return description_; }
  const std::string& file() const { return file_; }  // "libsgs.so"
  void setup(const weir_matrix& A);                  // Error(solver_failed)
  void update(const weir_matrix& A);
  // False: the call failed; see complaint(). No allocation on success.
  bool apply(const double* r, double* z, std::int64_t n);
  bool solve(const double* b, double* x, std::int64_t n, double target, int max_iterations, int& iterations);
  void print_complaint();  // prints it on standard error, once
  std::int64_t bytes();
  const std::string& complaint() const { return complaint_; }  // of the first failed call

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
  weir_matrix matrix_{};        // as of the last setup or update
  std::int64_t looked_at_ = 0;  // number of partial checks
  bool has_printed_ = false;
};

}  // namespace weir
