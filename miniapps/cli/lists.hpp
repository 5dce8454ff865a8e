// What `weir list` and the reference pages list beside the keys.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "miniapps/cli/command_line.hpp"

namespace weir {

struct NamedList {
  const char *name, *key, *meaning;  // key: the one whose words are listed; empty: not a key's
};
const std::vector<NamedList>& lists();

struct Quantity {
  const char *name, *miniapps, *meaning;
};
const std::vector<Quantity>& quantities();

struct ExitCode {
  int code;
  const char* meaning;
};
const std::vector<ExitCode>& exit_codes();

std::string meaning_of_word(const Option& option, const std::string& word);
std::string matrices_text(unsigned matrices);  // "stencil, banded"
void print_columns(const std::vector<std::array<std::string, 3>>& rows);

int list_what(const Program& program, const std::string& what);
int explain_key(const Program& program, const std::string& key);
// help: of the whole command line.
int write_reference(const Program& program, const std::string& folder, const std::string& help);
std::string completion_script(const Program& program, const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace weir
