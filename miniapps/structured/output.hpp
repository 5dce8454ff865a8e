// Field output, profiles and surfaces of a flow, written by rank 0.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/structured/case.hpp"
#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/sides/side_surface.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"
#include "postproc/fields/field_schedule.hpp"
#include "postproc/fields/picture_series.hpp"
#include "postproc/fields/probe.hpp"
#include "postproc/fields/vtk.hpp"

namespace weir {

class FlowOutput {
 public:
  // Reads [output], [[probe]], [[surface]] and [[history_reference]]. columns: those of history.csv.
  FlowOutput(const Table& config, const IncompressibleCase& c, const std::vector<std::string>& columns);

  // Call it once the run directory exists. restart_time: later field output is removed from the list.
  void open(const std::string& folder, const std::string& name, std::optional<double> restart_time);

  static Options options();
  bool is_due(std::int64_t step, double time, double dt) const { return schedule_.is_due(step, time, dt); }
  // more: fields in addition to those of [output] fields.
  void write_fields(const WholeFlow& flow, std::int64_t step, double time, std::vector<OutputField> more = {});

  // Writes all profiles and surfaces; returns error_NAME of those with published data, and the quantities of surfaces.
  std::map<std::string, double> write_profiles(const WholeFlow& flow);
  std::vector<std::string> quantities() const;  // the names of the above

  // Columns of history.csv in the steps of the diagnostics: fluxes through surfaces.
  std::vector<std::string> columns() const { return columns_of(surfaces_, case_); }
  std::map<std::string, double> fluxes(const WholeFlow& flow) const { return mean_fluxes(surfaces_, case_, flow); }

 private:
  const IncompressibleCase& case_;
  FieldSchedule schedule_;
  std::vector<std::string> fields_;
  std::vector<Probe> probes_;
  std::vector<SideSurface> surfaces_;
  std::vector<HistoryReference> history_references_;
  std::string folder_;
  std::unique_ptr<PictureSeries> pictures_;
};

// u, v(, w) and p between the nodes where they are stored, for profiles.
std::vector<SampledField> sampled_fields(const IncompressibleCase& c, const WholeFlow& flow);

// A field given by a function value(component, i, j, k) of the cell.
template <class Value>
OutputField cell_field(const Layout& layout, std::string name, int components, Value value) {
  const auto nx = static_cast<std::size_t>(layout.n[0]), ny = static_cast<std::size_t>(layout.n[1]);
  return {std::move(name), components, false, [=](std::size_t first, std::span<double> out) {
            auto i = static_cast<int>(first % nx), j = static_cast<int>(first / nx % ny),
                 k = static_cast<int>(first / nx / ny);
            for (std::size_t at = 0; at < out.size();) {
              for (int c = 0; c < components; ++c) out[at++] = value(c, i, j, k);
              if (++i < layout.n[0]) continue;
              i = 0;
              if (++j < layout.n[1]) continue;
              j = 0;
              ++k;
            }
          }};
}

// velocity, pressure, vorticity, divergence at cell centres. Keeps references to the flow and the case.
std::vector<OutputField> cell_fields(const IncompressibleCase& c, const WholeFlow& flow,
                                     const std::vector<std::string>& names);

}  // namespace weir
