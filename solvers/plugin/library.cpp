#include "solvers/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/foreign/foreign_call.hpp"
#include "base/hash.hpp"
#include "base/print.hpp"

namespace weir {
namespace {

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "libmine.so: setup: threw an exception: bad size"; empty: success.
template <class F>
std::string what_went_wrong(const std::string& file, const char* name, const F& f) {
  const FloatingPoint before;
  try {
    const ForeignCall inside(file.c_str(), name);
    const int code = f();
    if (const std::string changed = before.restore(); !changed.empty())
      return fmt::format("{}: {}: changed {}", file, name, changed);
    return code == 0 ? "" : fmt::format("{}: {}: returned error {}", file, name, code);
  } catch (const std::exception& e) {
    return fmt::format("{}: {}: threw an exception: {}", file, name, e.what());
  } catch (...) {
    return fmt::format("{}: {}: threw an exception", file, name);
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Exit::usage, name_of(path) + ": " + why);
}

}  // namespace

const weir_plugin_description& plugin_in(const std::string& path) {
  const std::string file = name_of(path);
  void* library = nullptr;
  {
    const FloatingPoint before;
    const ForeignCall inside(file.c_str(), "loading it");  // runs its constructors
    library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (const std::string changed = before.restore(); !changed.empty())  // -ffast-math
      say(stderr, "weir: {}: loading it changed {}; the change was undone\n", file, changed);
  }
  if (!library) refuse(path, std::string("cannot be loaded: ") + dlerror());
  const auto describe = reinterpret_cast<const weir_plugin_description* (*)()>(dlsym(library, "weir_plugin"));
  if (!describe) refuse(path, "has no function weir_plugin() (see solvers/plugin/weir_plugin.h)");
  const weir_plugin_description* d = nullptr;
  const std::string wrong = what_went_wrong(file, "weir_plugin", [&] {
    d = describe();
    return 0;
  });
  if (!wrong.empty()) throw Error(Exit::usage, wrong);
  if (!d) refuse(path, "weir_plugin() returns no description");
  if (d->abi != WEIR_PLUGIN_ABI)
    refuse(path, fmt::format("was built for version {} of weir_plugin.h, this Weir has version {}: build it again",
                             d->abi, WEIR_PLUGIN_ABI));
  constexpr unsigned formats = WEIR_CSR | WEIR_BLOCK_CSR | WEIR_DIAGONALS, spaces = WEIR_HOST | WEIR_DEVICE;
  if (!d->name || !d->create || !d->destroy || !d->setup || (!d->apply && !d->solve) || !(d->formats & formats) ||
      !(d->spaces & spaces))
    refuse(path, "its description lacks a name, create, destroy, setup, apply or solve, formats or spaces");
  return *d;
}

std::string hash_of_file(const std::string& path) {
  Hash64 hash;
  hash.add(content_of(path, "library"));
  return hex(hash.value());
}

template <class F>
bool Plugin::call(const char* name, const F& f) {
  std::string wrong = what_went_wrong(file_, name, f);
  if (wrong.empty()) return true;
  const char* words = nullptr;
  if (description_.error)
    what_went_wrong(file_, "error", [&] {
      words = description_.error(solver_);
      return 0;
    });
  if (words && *words) wrong += std::string(": ") + words;
  if (complaint_.empty()) complaint_ = std::move(wrong);
  return false;
}

namespace {

// A sum of products with odd numbers: any single changed value changes it. Limited by memory bandwidth.
template <class T>
std::uint64_t sum_of(const T* values, std::int64_t count) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, values + i, sizeof(T));
    sum += (bits ^ (bits >> 31)) * (2 * static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15);
  }
  return sum;
}

// Part `turn` of an array that is checked in parts.
template <class T>
std::uint64_t sum_of_part(const T* values, std::int64_t count, std::int64_t turn) {
  constexpr std::int64_t most = 16384;
  const std::int64_t parts = std::max<std::int64_t>(1, (count + most - 1) / most), from = turn % parts * most;
  return sum_of(values + from, std::min(most, count - from));
}

}  // namespace

std::uint64_t Plugin::fingerprint(const double* vector, std::int64_t n, bool whole_matrix) const {
  const weir_matrix& A = matrix_;
  if (A.space != WEIR_HOST) return 0;
  std::uint64_t sum = vector ? sum_of(vector, n) : 0;
  const auto add = [&]<class T>(const T* values, std::int64_t count) {
    if (values) sum = 31 * sum + (whole_matrix ? sum_of(values, count) : sum_of_part(values, count, looked_at_));
  };
  const std::int64_t BB = std::int64_t{A.block} * A.block;
  if (A.row_start) {
    add(A.row_start, std::int64_t{A.rows} + 1);
    add(A.column, A.row_start[A.rows]);
    add(A.value, A.row_start[A.rows] * BB);
  }
  for (const double* diagonal : A.diagonal) add(diagonal, A.rows * BB);
  return sum;
}

template <class F>
bool Plugin::guarded(const char* name, const double* vector, std::int64_t n, bool whole_matrix, const F& f) {
  const std::uint64_t before = fingerprint(vector, n, whole_matrix);
  if (!call(name, f)) return false;
  const bool is_same = before == fingerprint(vector, n, whole_matrix);
  ++looked_at_;
  if (!is_same && complaint_.empty())
    complaint_ = fmt::format("{}: {}: wrote into {}, which it must only read", file_, name,
                             vector ? "the matrix or the vector" : "the matrix");
  return is_same;
}

Plugin::Plugin(const weir_plugin_description& description, std::string file, const std::string& options)
    : description_(description), file_(std::move(file)) {
  if (call("create", [&] { return description_.create(options.c_str(), &solver_); })) return;
  if (solver_) destroy();
  throw Error(Exit::usage, complaint_);
}

Plugin::~Plugin() { destroy(); }

void Plugin::destroy() {
  call("destroy", [&] {
    description_.destroy(solver_);
    return 0;
  });
}

void Plugin::setup(const weir_matrix& A) {
  complaint_.clear();
  matrix_ = A;
  if (!guarded("setup", nullptr, 0, true, [&] { return description_.setup(solver_, &A); }))
    throw Error(Exit::solver_failed, complaint_);
}

void Plugin::update(const weir_matrix& A) {
  if (!description_.update) return setup(A);
  complaint_.clear();
  matrix_ = A;
  if (!guarded("update", nullptr, 0, true, [&] { return description_.update(solver_, &A); }))
    throw Error(Exit::solver_failed, complaint_);
}

bool Plugin::apply(const double* r, double* z, std::int64_t n) {
  return guarded("apply", r, n, false, [&] { return description_.apply(solver_, r, z); });
}

bool Plugin::solve(const double* b, double* x, std::int64_t n, double target, int max_iterations, int& iterations) {
  return guarded("solve", b, n, false,
                 [&] { return description_.solve(solver_, b, x, target, max_iterations, &iterations); });
}

void Plugin::print_complaint() {
  if (!std::exchange(has_printed_, true)) say(stderr, "weir: {}\n", complaint_);
}

std::int64_t Plugin::bytes() {
  std::int64_t bytes = 0;
  if (description_.bytes)
    call("bytes", [&] {
      bytes = description_.bytes(solver_);
      return 0;
    });
  return bytes;
}

}  // namespace weir
