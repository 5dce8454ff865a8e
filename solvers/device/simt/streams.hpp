// What the rest of the emulator needs of the streams.
#pragma once

namespace weir::simt {

void drain_streams() noexcept;  // runs what is pending; errors have been told to whoever waited

}  // namespace weir::simt
