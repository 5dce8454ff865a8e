#include "base/foreign/foreign_call.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/error.hpp"

namespace weir {
namespace {

// A signal handler can reach nothing else: these are the variables of the process behind ForeignCall.
std::atomic<const char*> library_inside = nullptr, call_inside = nullptr;
std::atomic<long> number_of_calls = 0, number_at_tick = -1;
double ends_at = -1;  // of the steady clock, in seconds; negative: never

constexpr std::array fatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void write_words(std::initializer_list<std::string_view> words) {
  for (const std::string_view w : words) [[maybe_unused]] const auto n = write(STDERR_FILENO, w.data(), w.size());
}

std::string_view name_of(int number) {
  constexpr std::array<std::string_view, 5> names{"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};
  const auto* at = std::find(fatal.begin(), fatal.end(), number);
  return at == fatal.end() ? "a signal" : names[static_cast<std::size_t>(at - fatal.begin())];
}

extern "C" void end_after_crash(int number) {
  const char *library = library_inside, *call = call_inside;
  if (!library) {  // not ours to explain
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  write_words({"weir: ", library, ": ", call, " crashed (", name_of(number),
               "); the run ends here, and its last checkpoint holds\n"});
  _exit(static_cast<int>(Exit::solver_failed));
}

extern "C" void look_at_the_clock(int) {
  const long number = number_of_calls;
  const char *library = library_inside, *call = call_inside;
  if (library && number_at_tick.exchange(number) == number) {
    constexpr std::string_view rest = " does not come back; the run ends here, and its last checkpoint holds\n";
    write_words({"weir: wall limit: ", library, ": ", call, rest});
    _exit(static_cast<int>(Exit::wall_limit));
  }
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

// Its own stack: an overflow of the other one is a crash as well.
void install() {
  static std::array<char, 65536> stack_of_handler;
  const stack_t stack{stack_of_handler.data(), 0, stack_of_handler.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = end_after_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : fatal) sigaction(number, &action, nullptr);
}

bool is_first_call() {
  static std::atomic<bool> was_there = false;
  return !was_there.load(std::memory_order_relaxed) && !was_there.exchange(true);
}

}  // namespace

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

}  // namespace weir
