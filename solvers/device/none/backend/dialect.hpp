// The words of device code: read, never run.
#pragma once
#include "solvers/device/simt/backend/dialect.hpp"
