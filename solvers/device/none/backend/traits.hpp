#pragma once
#include "solvers/device/simt/backend/traits.hpp"
