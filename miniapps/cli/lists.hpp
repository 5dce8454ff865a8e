// The lists of `weir list` and of the reference pages, other than keys.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "miniapps/cli/command_line.hpp"
#include "miniapps/driver/quantity.hpp"

namespace weir {

struct NamedList {
  const char *name, *key, *meaning;  // key: the key whose words are listed; empty: another list
};
const std::vector<NamedList>& lists();

Results results_of(const Program& program);  // quantities of run.json and columns of history.csv, of all miniapps
std::string meaning_of(const Quantity& q);   // with its unit
// The columns of solves.csv.
const std::vector<std::array<const char*, 2>>& solves_columns();

struct ExitCode {
  int code;
  const char* meaning;
};
const std::vector<ExitCode>& exit_codes();

std::string meaning_of_word(const Option& option, const std::string& word);
std::string matrices_text(unsigned matrices);  // "stencil, banded"
void print_columns(const std::vector<std::array<std::string, 3>>& rows);

}  // namespace weir
