// Printing that never ends a program where it stands: a full disk or a closed pipe behind standard output is found out at
// the end, by code_after_output.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace weir {

inline void put(std::FILE* to, const std::string& text) { std::fwrite(text.data(), 1, text.size(), to); }
template <class... T>
void say(std::FILE* to, fmt::format_string<T...> form, T&&... values) {
  put(to, fmt::format(form, std::forward<T>(values)...));
}
template <class... T>
void say(fmt::format_string<T...> form, T&&... values) {
  put(stdout, fmt::format(form, std::forward<T>(values)...));
}

// The exit code of a program that would end with `code`: file_io instead of 0 where standard output did not take all that
// was printed, with a message on standard error.
int code_after_output(int code);

// At the start of a program: a closed standard stream is opened, or the first file that is opened would be in its place and
// be printed into. Reading ends at once, printing fails; errors are dropped. A closed pipe and a limit on the
// size of files are errors then, not signals.
void open_standard_streams();

}  // namespace weir
