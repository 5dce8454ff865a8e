#include "postproc/run/stop.hpp"

#include <csignal>

namespace weir {
namespace {

// A signal handler can use only a global variable.
volatile std::sig_atomic_t caught_signal = 0;

extern "C" void note_signal(int number) { caught_signal = number; }

constexpr int stopping[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

void StopSignals::catch_them() {
  caught_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // the second one finds the default, which kills
  for (const int s : stopping) {
    struct sigaction before {};
    sigaction(s, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(s, &action, nullptr);  // nohup stays nohup
  }
  active_ = true;
}

void StopSignals::release() {
  if (!active_) return;
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int s : stopping) {
    struct sigaction before {};
    sigaction(s, nullptr, &before);
    if (before.sa_handler == note_signal) sigaction(s, &action, nullptr);
  }
  active_ = false;
}

int StopSignals::caught() { return caught_signal; }

}  // namespace weir
