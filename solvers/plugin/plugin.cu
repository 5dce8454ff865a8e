// plugin: a user's solver in a shared library with the interface weir_plugin.h. As a preconditioner it computes z =
// M^-1 r; as the method ("plugin:./libmine.so") it solves A d = r, and the true residual b - A x decides on
// convergence: if a solve misses the target but halves the residual, it is called again for the correction.
// python: the same with a Python module in a process of its own (python.hpp).
// A failed application returns NaN in z, so that the method ends as not_finite on all ranks; complaint() has the
// reason.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/find_file.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/iteration.hpp"
#include "solvers/plugin/library.hpp"
#include "solvers/plugin/plugin_matrix.hpp"
#include "solvers/plugin/python.hpp"
#include "solvers/preconditioner/preconditioner.hpp"
#include "solvers/registry.hpp"

namespace weir {
namespace {

Traits traits_of(const weir_plugin_description& d) {
  return {.keeps_symmetry = (d.traits & WEIR_KEEPS_SYMMETRY) != 0,
          .is_constant = !(d.traits & WEIR_VARIES),
          .repeats = !(d.traits & WEIR_DOES_NOT_REPEAT),
          .is_method_alone = !d.apply};
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Solves A d = r with the plugin, as a correction of x.
template <class Space>
class PluginMethod : public Krylov<Space> {
 public:
  PluginMethod(std::shared_ptr<Plugin> plugin, const KrylovOptions& options)
      : plugin_(std::move(plugin)), options_(options) {}
  const char* name() const override { return plugin_->description().name; }

  SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                    View<double> x) override {
    fit(r_, A.size());
    fit(d_, A.size());
    const View<double> r = r_, d = d_;
    Iteration<Space> it(A, M, b, x, options_, this->history_, this->kept_x_);
    for (it.start(r); it.running();) correct(it, r, d, x);
    return it.finish();
  }

 private:
  void correct(Iteration<Space>& it, View<double> r, View<double> d, View<double> x) {
    const int most = std::max(1, options_.max_iterations - it.iterations());
    int iterations = 0;
    if (!plugin_->solve(r.data(), d.data(), r.size(), it.target(), most, iterations)) {
      it.report(1, not_a_number, Reason::not_finite);
      it.judge(not_a_number);
      return;
    }
    axpy<Space>(1, d, x);
    const double norm = it.true_residual(r);
    iterations = std::clamp(iterations, 1, most);
    it.report(iterations, norm, iterations == most ? Reason::max_iterations : Reason::converged);
    it.judge(norm);
    if (is_interrupted(options_)) it.report(0, norm, Reason::interrupted), it.judge(norm);
  }

  std::shared_ptr<Plugin> plugin_;
  KrylovOptions options_;
  Array<double, Space> r_, d_;
};

template <class Space>
class PluginPreconditioner final : public Preconditioner<Space> {
 public:
  PluginPreconditioner(const weir_plugin_description& d, const std::string& file, const std::string& options)
      : Preconditioner<Space>(traits_of(d)),
        plugin_(std::make_shared<Plugin>(d, file, options)),
        matrix_(plugin_->file(), plugin_->description().formats) {}

  SetupInfo do_setup(const Matrix<Space>& A) override {
    prepare(A, true);
    return {.bytes = plugin_->bytes() + matrix_.bytes()};
  }
  SetupInfo do_update(const Matrix<Space>& A) override {
    prepare(A, false);
    return {.bytes = plugin_->bytes() + matrix_.bytes()};
  }
  void stands_on(int rank, int ranks) override { matrix_.set_rank(rank, ranks); }

  void apply(View<const double> r, View<double> z) const override {
    if (!plugin_->description().apply) throw Error(Exit::usage, describe() + " has no `apply`");
    if (plugin_->apply(r.data(), z.data(), r.size())) return take_constants_off(z);
    plugin_->print_complaint();
    fill<Space>(not_a_number, z);
  }
  std::unique_ptr<Krylov<Space>> own_method(const KrylovOptions& options) const override {
    if (!plugin_->description().solve) return nullptr;
    return std::make_unique<PluginMethod<Space>>(plugin_, options);
  }

  // One more application, to check its result after a failed solve.
  std::string complaint(View<const double> r) const override {
    if (!plugin_->complaint().empty()) return plugin_->complaint();
    if (!plugin_->description().apply) return "";
    Array<double, Space> z(r.size());
    if (!plugin_->apply(r.data(), z.data(), r.size())) return plugin_->complaint();
    std::int64_t bad = 0;
    for (const double v : z.to_vector()) bad += !std::isfinite(v);
    if (bad == 0) return "";
    return plugin_->file() + ": apply: NaN or Inf in " + std::to_string(bad) + " of " + std::to_string(r.size()) +
           " values of its result for a finite vector";
  }
  std::string describe() const override {
    return "plugin " + plugin_->file() + " (" + plugin_->description().name + ")";
  }

 private:
  void prepare(const Matrix<Space>& A, bool is_new) {
    if (matrix_.take(A) || is_new)
      plugin_->setup(matrix_.seen());
    else
      plugin_->update(matrix_.seen());
    is_singular_ = A.has_constant_null_space() && !A.ranks();  // the local rows of one rank are regular
  }

  // A multigrid unaware of the null space may return constants 1e7 times as large as the rest of z.
  void take_constants_off(View<double> z) const {
    if (!is_singular_) return;
    shift<Space>(sum_and_square<Space>(z).a / static_cast<double>(z.size()), z);
  }

  std::shared_ptr<Plugin> plugin_;
  PluginMatrix<Space> matrix_;
  bool is_singular_ = false;  // constants span the null space
};

constexpr Option plugin_keys[] = {
    {"library", Option::text, Option::required,
     "path of the shared library, relative to the case or the current folder"},
    {"library_hash", Option::text, "",
     "hash of the shared library, recorded by a run; a library with another hash is rejected"},
    {"*", Option::text, "depends on the plugin", "option that is passed to the plugin"}};
constexpr Option python_keys[] = {
    {"module", Option::text, Option::required, "path of the Python file, relative to the case or the current folder"},
    {"module_hash", Option::text, "",
     "hash of the Python file, recorded by a run; a file with another hash is rejected"},
    {"python", Option::text, "/usr/bin/python3", "Python interpreter with numpy and scipy"},
    {"symmetric", Option::boolean, "false",
     "switch that declares the preconditioner symmetric and positive definite whenever the matrix is; required by cg"},
    {"varies", Option::boolean, "false",
     "switch that declares that the preconditioner changes between applications; requires fgmres"},
    {"*", Option::text, "depends on the module", "argument that is passed to the class or function in the module"}};
// All but "*", and `type`, which other readers handle.
constexpr Option library_keys_read[] = {
    plugin_keys[0], plugin_keys[1], {"type", Option::text, "plugin", "kind of preconditioner"}};
constexpr Option module_keys_read[] = {python_keys[0], python_keys[1], python_keys[2],
                                       python_keys[3], python_keys[4], {"type", Option::text, "python", "this"}};

// The path of the file that the key names; its hash must be the recorded one.
std::string recorded_file(const Table& t, const std::string& key) {
  const std::string path = find_file(t, key, key), hash_key = key + "_hash";
  const std::string hash = hash_of_file(path), recorded = t.get<std::string>(hash_key);
  if (recorded.empty()) t.put(hash_key, hash);
  if (!recorded.empty() && recorded != hash)
    t.fail(hash_key, path + " differs from the recorded " + key + " (hash " + hash + ", not " + recorded +
                         "); to use it anyway, remove " + hash_key);
  return path;
}

template <class Space>
void refuse_space(const std::string& path, unsigned spaces) {
  if (spaces & (std::is_same_v<Space, Host> ? WEIR_HOST : WEIR_DEVICE)) return;
  const std::string own = spaces & WEIR_HOST ? "host" : "device";
  throw Error(Exit::usage, path + ": supports " + own + " memory only, but this run uses the " + Space::name +
                               "; use --space " + own);
}

// The file that a table names, and the options for `create`.
struct Named {
  std::string path, options;
  const weir_plugin_description* python = nullptr;
};

Named named_library(const Table& options) {
  const Table t = options.described_by(library_keys_read);
  return {recorded_file(t, "library"), t.rest()};
}

Named named_module(const Table& options) {
  const Table t = options.described_by(module_keys_read);
  Named named{recorded_file(t, "module"), "", &python_plugin(t.get<bool>("symmetric"), t.get<bool>("varies"))};
  const auto python = t.get<std::string>("python");
  named.options = "python = \"" + python + "\"\nmodule = \"" + named.path + "\"\n" + t.rest();
  return named;
}

// Errors are reported at the key.
template <class Space>
std::unique_ptr<Preconditioner<Space>> make_named(const Table& options, const Named& named) {
  try {
    const weir_plugin_description& d = named.python ? *named.python : plugin_in(named.path);
    refuse_space<Space>(named.path, d.spaces);
    const std::string file = std::filesystem::path(named.path).filename().string();
    return std::make_unique<PluginPreconditioner<Space>>(d, file, named.options);
  } catch (const Error& error) {
    options.fail(named.python ? "module" : "library", error.what());
  }
}

template <Named (*named)(const Table&), class Space>
std::unique_ptr<Preconditioner<Space>> make(const Table& options) {
  return make_named<Space>(options, named(options));
}

// At least a copy of the matrix.
template <Named (*named)(const Table&)>
double plugin_bytes(const Table& options, const MatrixSize& A) {
  named(options);  // it must exist
  return A.csr_bytes();
}

}  // namespace

constexpr PreconditionerDescription preconditioner::plugin{
    .name = "plugin",
    .meaning = "user's solver in a shared library (weir_plugin.h)",
    .citation = "",
    .options = plugin_keys,
    .matrices = on_any_matrix,
    .over_ranks = 0,
    .update_cost = 2,
    .bytes = plugin_bytes<named_library>,
    .make_host = make<named_library, Host>,
    .make_device = make<named_library, Device>};

constexpr PreconditionerDescription preconditioner::python{
    .name = "python",
    .meaning = "user's solver in Python: a class or function that takes a scipy.sparse matrix",
    .citation = "",
    .options = python_keys,
    .matrices = on_any_matrix,
    .over_ranks = 0,
    .update_cost = 2,
    .bytes = plugin_bytes<named_module>,
    .make_host = make<named_module, Host>,
    .make_device = make<named_module, Device>};

}  // namespace weir
