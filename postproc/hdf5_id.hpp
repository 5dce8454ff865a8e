// HDF5's C library: identifiers that close themselves, and the reason of a failure. Only for files that need HDF5
// anyway.
#pragma once
#include <hdf5.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace weir::hdf5 {

class Id {
 public:
  Id(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  ~Id() {
    if (id_ >= 0) closer_(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  operator hid_t() const { return id_; }
  bool close() { return closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

// To be called before any other function of HDF5. HDF5's own clean-up at exit writes files again that could not be
// closed (full disk) and crashes: it is switched off, as are HDF5's own messages (reason() returns them).
inline void start() {
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// The innermost message of HDF5's error stack; it contains errno's text where the system reported an error.
inline std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        *static_cast<std::string*>(out) = error->desc ? error->desc : "";
        return 0;
      },
      &text);
  const auto at = text.find("error message = '");
  if (at != std::string::npos) text = text.substr(at + 17, text.find('\'', at + 17) - at - 17);
  return text.empty() ? "HDF5 error" : text;
}

// Throws where a call that writes `path` has failed.
inline void check_write(long long status, const std::string& path) {
  if (status < 0) throw Error(Exit::file_io, "cannot write " + path + ": " + reason());
}
inline void close_written(Id& object, const std::string& path) {  // small arrays are written when they are closed
  if (!object.close()) check_write(-1, path);
}

}  // namespace weir::hdf5
