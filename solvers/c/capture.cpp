// The writer of weir_capture.h.
#define WEIR_CAPTURE_IMPLEMENTATION
#include "inputs/clients/weir_capture.h"
#undef WEIR_CAPTURE_IMPLEMENTATION
