// weir replay --export: captured systems in the formats of other codes.
#include "miniapps/cli/systems.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/print.hpp"
#include "postproc/run/write_aside.hpp"
#include "solvers/matrix/io/hypre_ij.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

void export_capsule(const Capsule& c, const std::string& format, const std::string& folder, std::size_t number) {
  const fs::path source(c.path);
  const fs::path to = folder.empty() ? source.parent_path() : fs::path(folder);
  if (!to.empty()) fs::create_directories(to);
  const std::string base = (to / source.stem()).string();
  const BlockCsrData A = rows_of(c);
  if (format == "petsc") {
    write_petsc_binary(base + ".petsc", A, {c.b, c.x0});
    say("{}.petsc: A, b, x0; {} rows\n", base, c.size());
    return;
  }
  if (format == "hypre") {
    const fs::path subfolder = to / fmt::format("ls_{:05}", number);
    fs::create_directories(subfolder);
    write_hypre_matrix((subfolder / "IJ.out.A").string(), A);
    write_hypre_vector((subfolder / "IJ.out.b").string(), c.b);
    write_hypre_vector((subfolder / "IJ.out.x0").string(), c.x0);
    say("{}: IJ.out.A, IJ.out.b, IJ.out.x0 of {}; {} rows\n", subfolder.string(), source.stem().string(), c.size());
    return;
  }
  for (const char* name : {".mtx", "_b.mtx", "_x0.mtx"}) place_of_output(base + name, {}, "%%MatrixMarket matrix ");
  write_matrix_market(base + ".mtx", A);
  write_vector_market(base + "_b.mtx", c.b);
  write_vector_market(base + "_x0.mtx", c.x0);
  say("{0}.mtx, {0}_b.mtx, {0}_x0.mtx; {1} rows\n", base, c.size());
}

// Does not replace a user's own file of that name.
void write_list(const fs::path& path, std::string_view beginning, const std::string& text) {
  write_text_aside(place_of_output(path.string(), {}, beginning).path, text);
}

// Test cases in the format of the benchmarks of Ginkgo (BENCHMARKING.md).
void write_ginkgo_list(const fs::path& folder, const std::vector<std::string>& paths) {
  auto list = nlohmann::ordered_json::array();
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).stem().string();
    list.push_back({{"filename", name + ".mtx"}, {"rhs", name + "_b.mtx"}, {"optimal", {{"spmv", "csr"}}}});
  }
  write_list(folder / "ginkgo.json", "[\n  {\n    \"filename\": ", list.dump(2) + "\n");
}

// A method for any matrix, from zero: hypredrive 0.2 reads no initial guess.
void write_hypredrive_input(const fs::path& folder, std::size_t count) {
  write_list(folder / "hypredrive.yml", "linear_system:\n  dirname: ls\n",
             fmt::format(R"(linear_system:
  dirname: ls
  matrix_filename: IJ.out.A
  rhs_filename: IJ.out.b
  init_suffix: 0
  last_suffix: {}
solver: gmres
preconditioner: amg
)",
                         count - 1));
}

}  // namespace

void export_capsules(const std::vector<std::string>& paths, const std::string& format, const std::string& folder) {
  for (std::size_t i = 0; i < paths.size(); ++i) export_capsule(read_capsule(paths[i]), format, folder, i);
  if (folder.empty()) return;
  if (format == "mtx") write_ginkgo_list(folder, paths);
  if (format == "hypre") write_hypredrive_input(folder, paths.size());
}

}  // namespace weir
