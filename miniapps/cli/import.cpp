// weir import: files of other codes as a sequence of captured systems.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/print.hpp"
#include "miniapps/cli/verbs.hpp"
#include "miniapps/study/capture/capsule.hpp"
#include "miniapps/study/capture/client_capture.hpp"
#include "solvers/matrix/block/cut_blocks.hpp"
#include "solvers/matrix/facts.hpp"
#include "solvers/matrix/io/matrix_market.hpp"
#include "solvers/matrix/io/petsc_binary.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// A matrix or vector in a file: the whole file (Matrix Market) or a part of it (PETSc).
struct Source {
  std::string path;
  bool is_petsc = false;
  PetscObject object;
};

struct Sources {
  std::vector<Source> matrices, rhs, guesses;
};

// In a PETSc file the vectors after a matrix are its right-hand side and initial guess.
void add_objects(const std::string& path, Sources& all) {
  int vectors = 0;
  for (const PetscObject& o : petsc_objects(path)) {
    vectors = o.is_matrix ? 0 : vectors + 1;
    if (o.is_matrix)
      all.matrices.push_back({path, true, o});
    else if (all.matrices.empty() || vectors > 2)
      throw Error(Exit::usage, fmt::format("{}: byte {}: unexpected vector: at most b and x0 may follow a matrix; give "
                                           "other vectors by --rhs and --guess",
                                           path, o.offset));
    else
      (vectors == 1 ? all.rhs : all.guesses).push_back({path, true, o});
  }
}

std::vector<Source> vectors_of(const std::vector<std::string>& paths) {
  std::vector<Source> found;
  for (const std::string& path : paths) {
    if (!is_petsc_binary(path)) {
      found.push_back({path, false, {}});
      continue;
    }
    for (const PetscObject& o : petsc_objects(path)) {
      if (o.is_matrix) throw Error(Exit::usage, path + ": contains a matrix; expected a vector");
      found.push_back({path, true, o});
    }
  }
  return found;
}

Sources sources_of(const ImportArguments& a) {
  Sources all;
  for (const std::string& path : a.matrices) {
    if (is_capsule(path) || fs::is_directory(path))
      throw Error(Exit::usage, path + ": captured systems need no import: weir replay " + path);
    if (is_petsc_binary(path))
      add_objects(path, all);
    else
      all.matrices.push_back({path, false, {}});
  }
  if (!a.rhs.empty()) all.rhs = vectors_of(a.rhs);
  if (!a.guess.empty()) all.guesses = vectors_of(a.guess);
  const std::size_t systems = all.rhs.size();
  if (all.rhs.empty()) throw Error(Exit::usage, "missing right-hand sides: give one per matrix by --rhs");
  if (all.matrices.size() != 1 && all.matrices.size() != systems)
    throw Error(
        Exit::usage,
        fmt::format("{} matrices ({} ...) and {} right-hand sides ({} ...): expected equal numbers, or one matrix",
                    all.matrices.size(), all.matrices.front().path, systems, all.rhs.front().path));
  if (!all.guesses.empty() && all.guesses.size() != systems)
    throw Error(
        Exit::usage,
        fmt::format(
            "{} initial guesses ({} ...) and {} right-hand sides: expected equal numbers, or no initial guesses",
            all.guesses.size(), all.guesses.front().path, systems));
  return all;
}

BlockCsrData read_rows(const Source& w, int block) {
  if (!w.is_petsc) return read_matrix_market(w.path, block);
  BlockCsrData rows = read_petsc_matrix(w.path, w.object);
  if (block == 0) block = petsc_block_size(w.path);
  if (block == 0) block = detect_block(rows);
  if (rows.rows() % block != 0)
    throw Error(Exit::usage, fmt::format("{}: {} rows cannot be cut into blocks of {}", w.path, rows.rows(), block));
  return cut_into_blocks(std::move(rows), block);
}

std::vector<double> read_values(const Source& w, std::int64_t size) {
  if (!w.is_petsc) return read_vector_market(w.path, size);
  if (w.object.rows != size)
    throw Error(Exit::usage, fmt::format("{}: byte {}: expected a vector of {} values, found {}", w.path,
                                         w.object.offset, size, w.object.rows));
  return read_petsc_vector(w.path, w.object);
}

// A temporary folder that is renamed at the end and removed after an error.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path) : path_(path), aside_(path + ".partial") {
    if (fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path)))
      throw Error(Exit::usage, path + " already exists; choose another output");
    if (fs::exists(aside_)) throw Error(Exit::usage, aside_ + ": left by an interrupted import; remove it");
    std::error_code error;
    fs::create_directories(aside_, error);
    if (error) throw Error(Exit::file_io, aside_ + ": cannot be created: " + error.message());
  }
  ~NewFolder() {
    std::error_code ignored;
    fs::remove_all(aside_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  const std::string& aside() const { return aside_; }
  void finish() const {
    std::error_code error;
    fs::remove(path_, error);  // if it is empty
    fs::rename(aside_, path_, error);
    if (error) throw Error(Exit::file_io, path_ + ": cannot be created: " + error.message());
  }

 private:
  std::string path_, aside_;
};

void refuse_odd_name(const std::string& name) {
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos)
    throw Error(Exit::usage, "--system '" + name + "': expected letters, digits, '_' and '-'");
}

}  // namespace

int import_systems(const ImportArguments& a) {
  refuse_odd_name(a.system);
  const Sources all = sources_of(a);
  const std::string output = fs::path(a.output).has_filename() ? a.output : fs::path(a.output).parent_path().string();
  const NewFolder folder(output);
  int block = a.block;
  Capsule c;
  std::int64_t rows = 0;
  for (std::size_t k = 0; k < all.rhs.size(); ++k) {
    if (k < all.matrices.size()) {
      BlockCsrData A = read_rows(all.matrices[k], block);
      block = A.block;  // the same for all
      rows = std::int64_t{A.rows()} * A.block;
      double constant = 0;
      for (std::size_t l = k; l < (k + 1 < all.matrices.size() ? k + 1 : all.rhs.size()); ++l)
        constant = std::max(constant, constant_part(read_values(all.rhs[l], rows)));
      c.A = record_of(std::move(A), constant);
    }
    c.b = read_values(all.rhs[k], rows);
    c.x0 = all.guesses.empty() ? std::vector<double>(c.b.size(), 0.0) : read_values(all.guesses[k], rows);
    c.variables.assign(1, a.system);
    for (int i = 1; i < block; ++i) c.variables.push_back(fmt::format("{}{}", a.system, i));
    describe_unsolved(c);
    c.origin.system = a.system;
    c.origin.miniapp = "another code";
    c.origin.name = fs::path(output).filename().string();
    c.origin.trigger = "weir import";
    c.origin.step = static_cast<std::int64_t>(k) + 1;
    c.origin.time = NAN;
    write_capsule(folder.aside(), c);
  }
  folder.finish();
  say("{}: {} captured systems of '{}', {} rows in blocks of {}\n", output, all.rhs.size(), a.system, rows, block);
  return static_cast<int>(Exit::finished);
}

}  // namespace weir
