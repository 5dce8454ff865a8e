// The lists of `weir list` and of the reference pages, other than keys.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/option.hpp"

namespace weir {

struct NamedList {
  const char *name, *key, *meaning;  // key: the key whose words are listed; empty: another list
};
const std::vector<NamedList>& lists();

struct Quantity {
  const char *name, *miniapps, *meaning;
};
const std::vector<Quantity>& quantities();

// The columns of history.csv and solves.csv; the miniapps of a column as in Quantity.
const std::vector<Quantity>& history_columns();
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
