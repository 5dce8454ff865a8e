#include "miniapps/cli/export_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/print.hpp"
#include "postproc/run/write_aside.hpp"
#include "solvers/matrix/block/block_rows.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/io/augment.hpp"
#include "solvers/matrix/io/generate.hpp"
#include "solvers/matrix/io/hypre_ij.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"

namespace weir {

namespace fs = std::filesystem;

std::string origin_of(const Capsule& c) {
  const CapsuleOrigin& o = c.origin;
  return fmt::format("{}: {}{} of {} ({}), step {}, solve {}{}, {} unknowns in blocks of {}{}; captured by '{}'",
                     fs::path(c.path).stem().string(), o.system, o.part > 0 ? fmt::format(" {}", o.part) : "", o.name,
                     o.miniapp, o.step, o.solve, std::isfinite(o.cfl) ? fmt::format(", CFL {:.4g}", o.cfl) : "",
                     c.size(), std::max<std::size_t>(1, c.variables.size()),
                     o.ranks > 1 ? fmt::format(" on {} ranks ({})", o.ranks, o.partition) : "", o.trigger);
}

std::string reference_text(const Capsule& c) {
  const std::string& solver = c.reference.description;
  if (!c.reference.result) return solver + ": not solved in the run";
  return fmt::format("{}: {} iterations, {}", solver, c.reference.result->iterations,
                     to_string(c.reference.result->reason));
}

BlockCsrData rows_of(const Capsule& c) {
  const auto A = rebuild_matrix<Host>(c.A);
  if (A->size() != c.size()) throw Error(Exit::file_io, c.path + ": its matrix and its vectors differ in size");
  return block_rows(*A);
}

BlockCsrData read_system(const std::string& name, int block, MarketFaults* faults) {
  if (is_capsule(name)) return rows_of(read_capsule(name));
  if (is_augmented(name)) return augmented_system(name);
  if (!is_generated(name)) return read_matrix_market(name, block, faults);
  BlockCsrData scalar = generated_system(name);
  return cut_into_blocks(std::move(scalar), std::max(block, 1));
}

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
    const fs::path place = to / fmt::format("ls_{:05}", number);
    fs::create_directories(place);
    write_hypre_matrix((place / "IJ.out.A").string(), A);
    write_hypre_vector((place / "IJ.out.b").string(), c.b);
    write_hypre_vector((place / "IJ.out.x0").string(), c.x0);
    say("{}: IJ.out.A, IJ.out.b, IJ.out.x0 of {}; {} rows\n", place.string(), source.stem().string(), c.size());
    return;
  }
  for (const char* name : {".mtx", "_b.mtx", "_x0.mtx"}) place_of_output(base + name, {}, "%%MatrixMarket matrix ");
  write_matrix_market(base + ".mtx", A);
  write_vector_market(base + "_b.mtx", c.b);
  write_vector_market(base + "_x0.mtx", c.x0);
  say("{0}.mtx, {0}_b.mtx, {0}_x0.mtx; {1} rows\n", base, c.size());
}

// A user's own file of that name stays.
void write_list(const fs::path& path, std::string_view beginning, const std::string& text) {
  write_text_aside(place_of_output(path.string(), {}, beginning).path, text);
}

// As the benchmarks of Ginkgo (BENCHMARKING.md) read test cases.
void write_ginkgo_list(const fs::path& folder, const std::vector<std::string>& paths) {
  auto list = nlohmann::ordered_json::array();
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).stem().string();
    list.push_back({{"filename", name + ".mtx"}, {"rhs", name + "_b.mtx"}, {"optimal", {{"spmv", "csr"}}}});
  }
  write_list(folder / "ginkgo.json", "[\n  {\n    \"filename\": ", list.dump(2) + "\n");
}

// A method for any matrix, from zeros: hypredrive 0.2 looks for a guess in no folder of a sequence.
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
