// The known word nearest to a mistyped one, for messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// Edits (insert, delete, replace, swap of neighbours) that turn a into b.
int edit_distance(std::string_view a, std::string_view b);

// Empty where none is near enough to be meant: more than a third of the word, and more than 2, edits away.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'y'?", or "; known here: a, b", or nothing where nothing is known.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace weir
