// What a description of a key says, put to use. For base/table.cpp and the tests of descriptions.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "base/table.hpp"
#include "base/table_node.hpp"

namespace weir {

// The words of "V | F", of "a, b" with ','.
std::vector<std::string> words_of(std::string_view list, char separator = '|');

// The place of a word among those that the description of a text allows.
std::size_t place_of_word(const Table& table, std::string_view key, const std::string& word);
// The text of a key as an enumeration that lists the allowed words in their order.
template <class E>
E get_enum(const Table& table, std::string_view key) {
  return static_cast<E>(place_of_word(table, key, table.get<std::string>(key)));
}

// Entries under an older name, or with an older value, become what the description calls them.
void take_older_names(TableNode& table, const Option& option);

// std::logic_error where the description's default is none.
std::shared_ptr<TableNode> default_of(const Option& option);

// Refuse values that are not allowed, with file and line.
void check_value(const Table& table, const Option& option, const TableNode& value);
void require_one_of(const Table& table, std::string_view key, const std::string& value,
                    const std::vector<std::string>& known);

}  // namespace weir
