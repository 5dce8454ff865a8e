#pragma once
#include "solvers/device/simt/backend/grid_sync.hpp"
