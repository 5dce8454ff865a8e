#include "solvers/c/lockstep.hpp"

#include <ucontext.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>

#include "solvers/matrix/block/many_products.hpp"

namespace weir {
namespace {

using csr_products::OneProduct;

class Lockstep {
 public:
  Lockstep(const BlockCsr<Host>& A, const AppliesMany<Host>* M, int count, std::function<void(int)> solve)
      : A_(A), M_(M), solve_(std::move(solve)), tasks_(static_cast<std::size_t>(count)) {}

  void run() {
    for (Task& task : tasks_) {
      task.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
      getcontext(&task.context);
      task.context.uc_stack.ss_sp = task.stack.get();
      task.context.uc_stack.ss_size = stack_bytes;
      task.context.uc_link = &scheduler_;
      makecontext(&task.context, enter, 0);
    }
    for (bool is_running = true; is_running; serve()) {
      is_running = false;
      for (active_ = 0; active_ < tasks_.size(); ++active_) {
        if (tasks_[active_].is_done) continue;
        entered = this;
        swapcontext(&scheduler_, &tasks_[active_].context);
        is_running = is_running || !tasks_[active_].is_done;
      }
    }
    for (const Task& task : tasks_)
      if (task.error) std::rethrow_exception(task.error);
  }

  double wait(const OneProduct& product) {
    tasks_[active_].product = product;
    leave();
    return products_[tasks_[active_].place].sum;
  }
  void wait(const OneOfMany& application) {
    tasks_[active_].application = application;
    leave();
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 20;
  static thread_local Lockstep* entered;

  struct Task {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    std::optional<OneProduct> product;
    std::optional<OneOfMany> application;
    std::size_t place = 0;  // of the last product
    bool is_done = false;
    std::exception_ptr error;
  };

  static void enter() {
    Lockstep& all = *entered;
    const std::size_t j = all.active_;
    try {
      all.solve_(static_cast<int>(j));
    } catch (...) {
      all.tasks_[j].error = std::current_exception();
    }
    all.tasks_[j].is_done = true;
  }
  void leave() { swapcontext(&tasks_[active_].context, &scheduler_); }

  void serve() {
    products_.clear();
    applications_.clear();
    for (Task& task : tasks_) {
      task.place = products_.size();
      if (task.product) products_.push_back(*task.product);
      if (task.application) applications_.push_back(*task.application);
      task.product.reset();
      task.application.reset();
    }
    if (!products_.empty()) csr_products::products(A_.view(), products_);
    if (!applications_.empty()) M_->apply_many(applications_);
  }

  const BlockCsr<Host>& A_;
  const AppliesMany<Host>* M_;
  std::function<void(int)> solve_;
  std::vector<Task> tasks_;
  std::vector<OneProduct> products_;
  std::vector<OneOfMany> applications_;
  ucontext_t scheduler_;
  std::size_t active_ = 0;
};
thread_local Lockstep* Lockstep::entered = nullptr;

class SharedMatrix final : public Matrix<Host> {
 public:
  SharedMatrix(const BlockCsr<Host>& A, Lockstep& turns) : A_(A), turns_(turns) {}
  int rows() const override { return A_.rows(); }
  int block() const override { return A_.block(); }
  void apply(View<const double> x, View<double> y) const override { wait(Product::apply, {}, x, y); }
  double apply_dot(View<const double> x, View<double> y) const override { return wait(Product::apply_dot, {}, x, y); }
  void residual(View<const double> b, View<const double> x, View<double> r) const override {
    wait(Product::residual, b, x, r);
  }
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override {
    return wait(Product::residual_dot, b, x, r);
  }
  void block_diagonal(int first, View<double> d) const override { A_.block_diagonal(first, d); }
  bool is_symmetric() const override { return A_.is_symmetric(); }
  bool has_constant_null_space() const override { return A_.has_constant_null_space(); }
  Work apply_work() const override { return A_.apply_work(); }

 private:
  double wait(Product p, View<const double> b, View<const double> x, View<double> y) const {
    return turns_.wait(OneProduct{p, b.data(), x.data(), y.data()});
  }
  const BlockCsr<Host>& A_;
  Lockstep& turns_;
};

class SharedPreconditioner final : public Preconditioner<Host> {
 public:
  SharedPreconditioner(const Preconditioner<Host>& M, Lockstep& turns)
      : Preconditioner<Host>(M.traits()), M_(M), turns_(turns) {}
  void apply(View<const double> r, View<double> z) const override { turns_.wait(OneOfMany{r.data(), z.data()}); }
  std::string describe() const override { return M_.describe(); }
  bool is_symmetric() const override { return M_.is_symmetric(); }
  std::string complaint(View<const double> r) const override { return M_.complaint(r); }

 private:
  SetupInfo do_setup(const Matrix<Host>&) override { throw std::logic_error("it is set up already"); }
  const Preconditioner<Host>& M_;
  Lockstep& turns_;
};

}  // namespace

std::vector<SolveResult> solve_in_lockstep(const BlockCsr<Host>& A, const Preconditioner<Host>& M, int count,
                                           const SolveOne& solve) {
  std::vector<SolveResult> results(static_cast<std::size_t>(count));
  const auto* many = dynamic_cast<const AppliesMany<Host>*>(&M);
  const Matrix<Host>* shared = nullptr;
  const Preconditioner<Host>* M_of_all = &M;
  Lockstep turns(A, many, count, [&](int j) { results[j] = solve(j, *shared, *M_of_all); });
  const SharedMatrix matrix(A, turns);
  const SharedPreconditioner preconditioner(M, turns);
  shared = &matrix;
  if (many) M_of_all = &preconditioner;
  turns.run();
  return results;
}

bool runs_in_lockstep(const std::string& method) {
  for (const char* name : {"cg", "bicgstab", "bicgstab_l", "gmres", "fgmres", "idrs"})
    if (method == name) return true;
  return false;
}

}  // namespace weir
