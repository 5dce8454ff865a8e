#include "miniapps/compressible/convergence/start_from.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/at.hpp"
#include "base/error.hpp"
#include "inputs/case.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "postproc/run/checkpoint.hpp"

namespace weir {
namespace {

// Cubic Lagrange interpolation between rows of cells: the cells of a row of `of` around cell k of a row of `count`,
// and their weights. At the ends the last cubic is extrapolated.
struct Stencil {
  int first = 0, points = 0;
  double weight[4] = {};
};
Stencil stencil(int k, int of, int count) {
  const double place = (k + 0.5) * count / of - 0.5;
  Stencil s;
  s.points = std::min(4, count);
  s.first = std::clamp(static_cast<int>(std::floor(place)) - 1, 0, count - s.points);
  for (int i = 0; i < s.points; ++i) {
    s.weight[i] = 1;
    for (int j = 0; j < s.points; ++j)
      if (j != i) s.weight[i] *= (place - s.first - j) / (i - j);
  }
  return s;
}

std::string newest_checkpoint(const std::string& source) {
  if (!std::filesystem::is_directory(source)) return source;
  const auto files = list_checkpoints((std::filesystem::path(source) / "checkpoints").string());
  if (files.empty()) throw Error(Exit::file_io, source + ": contains no checkpoint to start from");
  return files.back().second;
}

}  // namespace

std::vector<double> carry_over(const std::vector<double>& U, int values, const CellNumbers& from,
                               const CellNumbers& to) {
  const std::size_t cells = to.order.size();
  std::vector<int> place(from.order.size());  // of each cell as it was made
  for (std::size_t p = 0; p < place.size(); ++p) place[at(from.order[p])] = static_cast<int>(p);
  std::vector<double> out(cells * at(values));
  const auto value = [&](int cell, int v) { return U[at(place[at(cell)] * values + v)]; };
  const bool same = from.order.size() == cells && from.grid == to.grid;
  if (!same && (from.grid[1] == 0 || to.grid[1] == 0))
    throw Error(Exit::usage,
                "a state can be transferred to another mesh only if both meshes are generated grids with rows and "
                "columns of cells");
  for (std::size_t p = 0; p < cells; ++p) {
    const int cell = to.order[p];
    if (same) {
      for (int v = 0; v < values; ++v) out[p * at(values) + at(v)] = value(cell, v);
      continue;
    }
    const Stencil a = stencil(cell / to.grid[1], to.grid[0], from.grid[0]);
    const Stencil b = stencil(cell % to.grid[1], to.grid[1], from.grid[1]);
    for (int i = 0; i < a.points; ++i)
      for (int j = 0; j < b.points; ++j)
        for (int v = 0; v < values; ++v)
          out[p * at(values) + at(v)] +=
              a.weight[i] * b.weight[j] * value((a.first + i) * from.grid[1] + b.first + j, v);
  }
  return out;
}

namespace {

CarriedState read_run(const std::string& source, int values, const CellNumbers& here) {
  const std::string path = newest_checkpoint(source);
  const Checkpoint from = read_checkpoint(path);
  if (from.header.miniapp != "compressible")
    throw Error(Exit::usage,
                path + ": is a checkpoint of the miniapp " + from.header.miniapp + ", expected a compressible flow");
  std::string ordering;
  CellNumbers there;
  const UnstructuredMesh mesh = read_ordered_mesh(read_case_text(from.header.config, path), ordering, nullptr, &there);
  CarriedState s;
  s.U = carry_over(from.doubles("U", std::int64_t{values} * mesh.cells()), values, there, here);
  const bool same = there.order.size() == here.order.size() && there.grid == here.grid;
  if (!same || from.find("time_steps")) return s;
  s.order = static_cast<int>(from.scalar("order"));
  s.reference = from.scalar("reference");
  if (from.find("turbulence_reference")) s.turbulence_reference = from.scalar("turbulence_reference");
  return s;
}

}  // namespace

CarriedState state_of_run(const std::string& source, int values, const CellNumbers& here, const Communicator& ranks) {
  CarriedState s;
  if (ranks.is_root()) s = read_run(source, values, here);
  double numbers[] = {static_cast<double>(s.order), s.reference, s.turbulence_reference};
  ranks.broadcast(numbers, sizeof numbers, 0);
  s.order = static_cast<int>(numbers[0]);
  s.reference = numbers[1];
  s.turbulence_reference = numbers[2];
  return s;
}

}  // namespace weir
