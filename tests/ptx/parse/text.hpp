// The words of PTX's text: comments, lists, names, numbers, declarations.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tests/ptx/base.hpp"

namespace weir::ptx {

bool is_space(char c);
bool in_name(char c);
std::string trim(std::string_view text);
std::string without_comments(const std::string& text);
std::vector<std::string> split(std::string_view text, char separator = ',');  // outside of brackets
std::vector<std::string> words_of(std::string_view text);                     // names, and other characters singly
std::vector<std::string> parts_of(std::string_view opcode);                   // "ld.global.u32": ld, global, u32
bool contains_name(std::string_view text, std::string_view name);

Type type_named(std::string_view name);  // NO_TYPE where it is none
bool is_number(std::string_view text);
u64 bits_of_number(const std::string& text, Type type);

// ".align 8 .b8 name[16]", ".u32 name", ".b8 a[4] = {...}".
struct Declaration {
  Type type = B8;
  int align = 0;
  std::string name;
  s64 count = 1;
  bool unsized = false;
  std::string initial;
  s64 size() const { return bytes_of(type) * count; }
};
Declaration declaration(std::string_view text);

}  // namespace weir::ptx
