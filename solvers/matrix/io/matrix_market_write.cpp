#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {
namespace {

// A file written aside and renamed when it is whole.
class MarketFile {
 public:
  explicit MarketFile(const std::string& path) : path_(path), aside_(path + ".part") {
    file_ = std::fopen(aside_.c_str(), "w");
    if (!file_) throw Error(Exit::file_io, path + ": cannot be written");
  }
  ~MarketFile() {
    if (file_) std::fclose(file_);
    std::error_code ignored;
    std::filesystem::remove(aside_, ignored);
  }
  std::FILE* get() const { return file_; }
  void finish() {
    const bool whole = std::fflush(file_) == 0 && std::ferror(file_) == 0;
    std::fclose(std::exchange(file_, nullptr));
    std::error_code error;
    if (whole) std::filesystem::rename(aside_, path_, error);
    if (!whole || error) throw Error(Exit::file_io, path_ + ": could not be written whole (is the disk full?)");
  }

 private:
  std::string path_, aside_;
  std::FILE* file_ = nullptr;
};

}  // namespace

void write_matrix_market(const std::string& path, const BlockCsrData& d) {
  MarketFile file(path);
  const int B = d.block;
  std::fprintf(file.get(), "%%%%MatrixMarket matrix coordinate real general\n%% blocks of %d\n%lld %lld %zu\n", B,
               static_cast<long long>(d.rows()) * B, static_cast<long long>(d.rows()) * B, d.value.size());
  for (int i = 0; i < d.rows(); ++i)
    for (int u = 0; u < B; ++u)
      for (auto e = d.row_start[static_cast<std::size_t>(i)]; e < d.row_start[static_cast<std::size_t>(i) + 1]; ++e)
        for (int v = 0; v < B; ++v)
          std::fprintf(file.get(), "%lld %lld %.17g\n", static_cast<long long>(i) * B + u + 1,
                       static_cast<long long>(d.column[static_cast<std::size_t>(e)]) * B + v + 1,
                       d.value[static_cast<std::size_t>((e * B + u) * B + v)]);
  file.finish();
}

void write_vector_market(const std::string& path, std::span<const double> vector) {
  MarketFile file(path);
  std::fprintf(file.get(), "%%%%MatrixMarket matrix array real general\n%zu 1\n", vector.size());
  for (const double v : vector) std::fprintf(file.get(), "%.17g\n", v);
  file.finish();
}

}  // namespace weir
