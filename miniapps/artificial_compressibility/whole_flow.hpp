// The coupled scheme's flow of all ranks in one place: files know one layout, that of one rank. All ranks call.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/structured/loop.hpp"

namespace weir {

template <class Space>
class WholeCoupled {
 public:
  explicit WholeCoupled(const CoupledRanks& ranks) : ranks_(ranks), gather_(ranks) {}

  // The whole flow in host memory on rank 0; nothing of use on the others.
  const Flow<Host>& of(ArtificialCompressibility<Space>& flow) {
    const Grid& grid = flow.flow_case().grid;
    const double speed = flow.options().speed;
    if (ranks_.alone()) return copy_.of<Space>(flow.cells(), flow.field().values(), flow.minus_residual(), grid, speed);
    const std::vector<double> x = gather_.field(flow.field().values().to_vector()),
                              b = gather_.vector(flow.minus_residual_on_host());
    return ranks_.communicator().is_root() ? copy_.of(ranks_.whole(), x, b, grid, speed) : nothing_;
  }

  // The arrays that one rank would have, on rank 0.
  std::vector<std::pair<std::string, std::vector<double>>> arrays(const NamedArrays<Space>& of) const {
    std::vector<std::pair<std::string, std::vector<double>>> whole;
    for (const auto& [name, array] : of)
      whole.emplace_back(name, ranks_.alone() ? array->to_vector() : gather_.field(array->to_vector()));
    return whole;
  }
  void save(Run& run, CheckpointState state, const NamedArrays<Space>& of) const {
    if (ranks_.alone()) return save_checkpoint<Space>(run, std::move(state), of);
    const auto whole = arrays(of);
    for (const auto& [name, values] : whole) state.add(name, std::span<const double>(values));
    run.checkpoint(std::move(state));
  }
  void load(const Checkpoint& from, const NamedArrays<Space>& arrays) const {
    if (ranks_.alone()) return load_arrays<Space>(from, arrays);
    for (const auto& [name, array] : arrays)
      array->upload(gather_.field_of(from.doubles(name, static_cast<std::int64_t>(ranks_.field_size()))));
  }

 private:
  const CoupledRanks& ranks_;
  CoupledGather gather_;
  CoupledCopy copy_;
  Flow<Host> nothing_{Layout{}};
};

}  // namespace weir
