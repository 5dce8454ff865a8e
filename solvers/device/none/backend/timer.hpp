#pragma once
#include "solvers/device/simt/backend/timer.hpp"
