#include "solvers/matrix/io/hypre_ij.hpp"

#include "solvers/matrix/io/file_aside.hpp"

namespace weir {

void write_hypre_matrix(const std::string& name, const BlockCsrData& A) {
  FileAside file(name + ".00000");
  const int B = A.block;
  const long long last = static_cast<long long>(A.rows()) * B - 1;
  std::fprintf(file.get(), "0 %lld 0 %lld\n", last, last);
  for (int i = 0; i < A.rows(); ++i)
    for (int u = 0; u < B; ++u)
      for (auto e = A.row_start[i]; e < A.row_start[i + 1]; ++e)
        for (int v = 0; v < B; ++v)
          std::fprintf(file.get(), "%lld %lld %.17e\n", static_cast<long long>(i) * B + u,
                       static_cast<long long>(A.column[e]) * B + v, A.value[(e * B + u) * B + v]);
  file.finish();
}

void write_hypre_vector(const std::string& name, std::span<const double> vector) {
  FileAside file(name + ".00000");
  std::fprintf(file.get(), "0 %lld\n", static_cast<long long>(vector.size()) - 1);
  for (std::size_t i = 0; i < vector.size(); ++i) std::fprintf(file.get(), "%zu %.17e\n", i, vector[i]);
  file.finish();
}

}  // namespace weir
