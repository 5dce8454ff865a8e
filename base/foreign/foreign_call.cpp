#include "base/foreign/foreign_call.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weir {
namespace {

// State of the process for ForeignCall. A signal handler can reach global variables only.
std::atomic<const char*> library_inside = nullptr, call_inside = nullptr;
std::atomic<long> number_of_calls = 0, number_at_tick = -1;
std::atomic<LastWords*> last_words = nullptr;
std::atomic<pid_t> own_process = -1;
double ends_at = -1;  // seconds of the steady clock; negative: never

constexpr std::array fatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

using Words = std::initializer_list<std::string_view>;

void write_words(int file, Words words) {
  for (const std::string_view w : words) [[maybe_unused]] const auto n = write(file, w.data(), w.size());
}

void write_escaped(int file, Words words) {
  for (const std::string_view w : words)
    for (const char c : w) {
      const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
      write_words(file, {{is_plain ? &c : "?", 1}});
    }
}

// Called in a signal handler: no allocation, no locks.
void leave_last_words(Exit code, Words reason) {
  const LastWords* w = last_words;
  if (!w) return;
  const int file = open(w->temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  const char digit = static_cast<char>('0' + static_cast<int>(code));
  write_words(file, {w->before_code, {&digit, 1}, w->before_reason});
  write_escaped(file, reason);
  write_words(file, {w->after});
  if (fsync(file) == 0) rename(w->temporary.c_str(), w->path.c_str());
}

[[noreturn]] void leave_process(int code) {
  syscall(SYS_exit_group, code);
  std::abort();
}

// Ends the process with the same message on standard error and in the file.
[[noreturn]] void end_process(Exit code, Words reason) {
  write_words(STDERR_FILENO, {"weir: "});
  write_words(STDERR_FILENO, reason);
  write_words(STDERR_FILENO, {"; the run stops, its last checkpoint is valid\n"});
  leave_last_words(code, reason);
  leave_process(static_cast<int>(code));
}

// A process forked by foreign code may exit normally.
void look_at_exit() {
  const char *library = library_inside, *call = call_inside;
  if (library && getpid() == own_process) end_process(Exit::solver_failed, {library, ": ", call, " ended the process"});
}

std::string_view name_of(int number) {
  constexpr std::array<std::string_view, 5> names{"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};
  const auto* at = std::ranges::find(fatal, number);
  return at == fatal.end() ? "a signal" : names[static_cast<std::size_t>(at - fatal.begin())];
}

extern "C" void end_after_crash(int number) {
  const char *library = library_inside, *call = call_inside;
  if (!library) {  // not in a foreign call
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  end_process(Exit::solver_failed, {library, ": ", call, " crashed (", name_of(number), ")"});
}

extern "C" void look_at_the_clock(int) {
  const long number = number_of_calls;
  const char *library = library_inside, *call = call_inside;
  if (library && number_at_tick.exchange(number) == number)
    end_process(Exit::wall_limit, {"wall limit: ", library, ": ", call, " did not return"});
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void start_clock() {
  if (ends_at < 0) return;
  struct sigaction action {};
  action.sa_handler = look_at_the_clock;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const double seconds = std::max(ends_at - now(), 1e-3);
  const double whole = std::floor(seconds);
  const itimerval timer{{1, 0}, {static_cast<time_t>(whole), static_cast<suseconds_t>(1e6 * (seconds - whole)) + 1}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// An alternative stack, so that a stack overflow is reported as well.
void install() {
  static std::array<char, 65536> stack_of_handler;
  const stack_t stack{stack_of_handler.data(), 0, stack_of_handler.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = end_after_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : fatal) sigaction(number, &action, nullptr);
  own_process = getpid();
  std::atexit(look_at_exit);
  at_quick_exit(look_at_exit);
}

bool is_first_call() {
  static std::atomic<bool> was_there = false;
  return !was_there.load(std::memory_order_relaxed) && !was_there.exchange(true);
}

}  // namespace

FloatingPoint::FloatingPoint() : state_(state()) { fegetenv(&all_); }

FloatingPoint::State FloatingPoint::state() {
  const volatile double least = DBL_MIN, half = 0.5, denormal = 4.9e-324;
  return {fegetround(), fegetexcept(), least * half != 0 && denormal + denormal != 0};
}

std::string FloatingPoint::restore() const {
  const State now = state();
  if (now == state_) return "";
  fesetenv(&all_);
  return now.rounding != state_.rounding ? "the rounding mode"
         : now.traps != state_.traps     ? "the floating-point exceptions that raise signals"
                                         : "the treatment of denormal numbers";
}

ForeignCall::ForeignCall(const char* library, const char* call)
    : outer_library_(library_inside.load(std::memory_order_relaxed)),
      outer_call_(call_inside.load(std::memory_order_relaxed)) {
  if (is_first_call()) {
    install();
    start_clock();
  }
  number_of_calls.fetch_add(1, std::memory_order_relaxed);
  call_inside.store(call, std::memory_order_relaxed);
  library_inside.store(library, std::memory_order_release);
}

ForeignCall::~ForeignCall() {
  library_inside.store(outer_library_, std::memory_order_release);
  call_inside.store(outer_call_, std::memory_order_relaxed);
}

void ForeignCall::must_end_after(double seconds) {
  ends_at = seconds < 0 ? -1 : now() + seconds;
  if (number_of_calls > 0) start_clock();
}

void ForeignCall::leaves(LastWords words) {
  delete last_words.exchange(words.path.empty() ? nullptr : new LastWords(std::move(words)));
}

}  // namespace weir

// Replaces the C library's functions, in plugins as well, so that foreign code that ends or replaces the process is
// named.
extern "C" [[noreturn]] void _exit(int code) {
  weir::look_at_exit();
  weir::leave_process(code);
}
extern "C" [[noreturn]] void _Exit(int code) noexcept {
  weir::look_at_exit();
  weir::leave_process(code);
}
namespace {
template <class... Arguments>
int become(const char* name, Arguments... arguments) {
  weir::look_at_exit();
  return reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_NEXT, name))(arguments...);
}
// The arguments of execl and execlp, of which the last is null.
std::vector<char*> listed(const char* first, va_list more) {
  std::vector<char*> all{const_cast<char*>(first)};
  while (all.back()) all.push_back(va_arg(more, char*));
  return all;
}
}  // namespace

extern "C" int execve(const char* path, char* const* words, char* const* environment) noexcept {
  return become("execve", path, words, environment);
}
extern "C" int fexecve(int file, char* const* words, char* const* environment) noexcept {
  return become("fexecve", file, words, environment);
}
extern "C" int execv(const char* path, char* const* words) noexcept { return become("execv", path, words); }
extern "C" int execvp(const char* file, char* const* words) noexcept { return become("execvp", file, words); }
extern "C" int execvpe(const char* file, char* const* words, char* const* environment) noexcept {
  return become("execvpe", file, words, environment);
}
extern "C" int execl(const char* path, const char* first, ...) noexcept {
  va_list more;
  va_start(more, first);
  const std::vector<char*> words = listed(first, more);
  va_end(more);
  return execv(path, words.data());
}
extern "C" int execlp(const char* file, const char* first, ...) noexcept {
  va_list more;
  va_start(more, first);
  const std::vector<char*> words = listed(first, more);
  va_end(more);
  return execvp(file, words.data());
}
