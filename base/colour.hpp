// Colour on terminals only, and not if NO_COLOR is set (no-color.org).
#pragma once
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace weir {

enum class Colour { red = 31, green = 32 };

inline std::string coloured(const std::string& text, Colour colour, std::FILE* stream) {
  const char* none = std::getenv("NO_COLOR");
  if ((none && *none) || !isatty(fileno(stream))) return text;
  return "\033[1;" + std::to_string(static_cast<int>(colour)) + "m" + text + "\033[0m";
}

}  // namespace weir
