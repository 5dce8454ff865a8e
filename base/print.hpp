// Printing that never ends the program: a full disk or closed pipe is reported at the end by code_after_output.
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

// Exit code of a program that would end with `code`: file_io instead of 0 if standard output could not take all that
// was printed, with a message on standard error.
int code_after_output(int code);

// Called at the start of a program. Opens closed standard streams, otherwise the first opened file would take their
// place and be printed into. Turns SIGPIPE and SIGXFSZ into errors of write().
void open_standard_streams();

}  // namespace weir
