// The keys of [select].
#pragma once
#include "base/option.hpp"

namespace weir {

Options select_options();

}  // namespace weir
