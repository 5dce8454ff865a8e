// Output of the flow: fields, and Cp and Cf of the walls. Works on fields in host memory.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/discretisation/mesh_facts.hpp"
#include "miniapps/compressible/quantities.hpp"
#include "postproc/fields/field_schedule.hpp"
#include "postproc/fields/picture_series.hpp"
#include "postproc/fields/probe.hpp"
#include "postproc/fields/vtk.hpp"
#include "postproc/reference/reference.hpp"

namespace weir {

// [[surface]]
struct SurfaceComparison {
  std::string name, marker, quantity, side;
  double from = -1e300, to = 1e300;
  std::optional<double> at;
  bool has_published = false;
  Comparison published;
};

class CompressibleOutput {
 public:
  // Reads [output], [[surface]] and [[probe]].
  CompressibleOutput(const Table& config, const CompressibleCase& c, const std::vector<FlowBoundary>& boundary,
                     const MeshFacts& mesh);

  // Call it once the run directory exists. restart_time: later field outputs are removed from the list.
  void open(const std::string& folder, const std::string& name, std::optional<double> restart_time);

  static Options field_options(), surface_options();
  bool is_due(std::int64_t step, double time) const { return schedule_.is_due(step, time, case_.time.dt); }
  // more: additional cell values by name.
  void write_fields(const FlowFields& fields, std::int64_t step, double time,
                    const std::vector<std::pair<std::string, std::vector<double>>>& more = {});

  // Writes surface/MARKER.csv and .vtu per wall, surface/NAME_reference.csv per comparison; returns error_NAME and
  // value_NAME.
  std::map<std::string, double> write_surfaces(const std::vector<WallSurface>& surfaces) const;
  // Writes probes/NAME.csv for every probe; returns error_NAME of those with published data.
  std::map<std::string, double> write_profiles(const FlowFields& fields) const;
  std::vector<std::string> quantities() const;  // names of the above

 private:
  const CompressibleCase& case_;
  FieldSchedule schedule_;
  std::vector<std::string> fields_;
  std::vector<SurfaceComparison> comparisons_;
  std::vector<Probe> probes_;
  std::string folder_;
  std::unique_ptr<PictureSeries> pictures_;
};

// The faces of a wall in plotting order: upper side by x, then lower side by -x.
std::vector<std::size_t> along_surface(const WallSurface& surface);

}  // namespace weir
