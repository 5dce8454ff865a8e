// A build without a device: Device names a space in which nothing can be allocated.
#pragma once
#include "solvers/device/simt/backend/host_device.hpp"
