#include "solvers/matrix/io/market_text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"

namespace weir {

MarketText::MarketText(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error(Exit::file_io, path + ": a folder, not a matrix file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(Exit::file_io, path + ": cannot open the matrix file");
  struct stat status;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 2) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) {
      ::madvise(memory, size_, MADV_SEQUENTIAL);
      mapped_ = static_cast<const char*>(memory);
    }
  }
  ::close(file);
  if (mapped_ && view().starts_with("\x1f\x8b")) {
    ::munmap(const_cast<char*>(mapped_), size_);
    mapped_ = nullptr;
  }
  if (!mapped_) text_ = unzipped_text(path);
}

MarketText::~MarketText() {
  if (mapped_) ::munmap(const_cast<char*>(mapped_), size_);
}

}  // namespace weir
