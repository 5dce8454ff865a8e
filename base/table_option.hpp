// Evaluation of key descriptions, for base/table.cpp and tests.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "base/table.hpp"
#include "base/table_node.hpp"

namespace weir {

// The words of "V | F", or of "a, b" with ','.
std::vector<std::string> words_of(std::string_view list, char separator = '|');

// Index of the word among the allowed values of the description.
std::size_t place_of_word(const Table& table, std::string_view key, const std::string& word);
// The text of a key as an enumeration whose values are in the order of the allowed words.
template <class E>
E get_enum(const Table& table, std::string_view key) {
  return static_cast<E>(place_of_word(table, key, table.get<std::string>(key)));
}

void take_older_names(TableNode& table, const Option& option);

// Throws std::logic_error if the description's default is invalid.
std::shared_ptr<TableNode> default_of(const Option& option);

// Refuses values that are not allowed, with file and line.
void check_value(const Table& table, const Option& option, const TableNode& value);
void require_one_of(const Table& table, std::string_view key, const std::string& value,
                    const std::vector<std::string>& known);

}  // namespace weir
