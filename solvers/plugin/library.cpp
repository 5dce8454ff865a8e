#include "solvers/plugin/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

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

// "libmine.so: setup: threw an exception: bad size"; empty: all is well.
template <class F>
std::string what_went_wrong(const std::string& file, const char* name, const F& f) {
  try {
    const ForeignCall inside(file.c_str(), name);
    const int code = f();
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
    const ForeignCall inside(file.c_str(), "loading it");  // runs its constructors
    library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) refuse(path, std::string("cannot be loaded: ") + dlerror());
  const auto describe = reinterpret_cast<const weir_plugin_description* (*)()>(dlsym(library, "weir_plugin"));
  if (!describe) refuse(path, "has no function weir_plugin(), which solvers/plugin/weir_plugin.h describes");
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
  if (!call("setup", [&] { return description_.setup(solver_, &A); })) throw Error(Exit::solver_failed, complaint_);
}

void Plugin::update(const weir_matrix& A) {
  if (!description_.update) return setup(A);
  complaint_.clear();
  if (!call("update", [&] { return description_.update(solver_, &A); })) throw Error(Exit::solver_failed, complaint_);
}

bool Plugin::apply(const double* r, double* z) {
  return call("apply", [&] { return description_.apply(solver_, r, z); });
}

bool Plugin::solve(const double* b, double* x, double target, int max_iterations, int& iterations) {
  return call("solve", [&] { return description_.solve(solver_, b, x, target, max_iterations, &iterations); });
}

void Plugin::tell_complaint() {
  if (!std::exchange(has_told_, true)) say(stderr, "weir: {}\n", complaint_);
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
