// The known word nearest to a mistyped one, for messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// Number of edits (insert, delete, replace, swap of neighbours) from a to b.
int edit_distance(std::string_view a, std::string_view b);

// Empty if none is near enough: at most a third of the word's length or 2 edits.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'y'?", or "; known here: a, b", or nothing if `known` is empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace weir
