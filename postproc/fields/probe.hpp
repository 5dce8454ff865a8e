// Probes: profiles of the flow along straight lines, written as CSV and, if a probe names published data, compared with
// them.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/key_table.hpp"
#include "base/table.hpp"
#include "postproc/reference/reference.hpp"

namespace weir {

using ProbePoint = std::array<double, 3>;

// A field as values at the nodes of a tensor grid. The nodes of a direction increase and hold the domain's boundary,
// with the boundary's value there (nodes_with_ends); a periodic direction repeats its first node after the last. One
// node: the field does not vary in that direction. `value` is called only for the nodes that a probe needs.
struct SampledField {
  std::string name;
  std::array<std::vector<double>, 3> nodes;
  std::function<double(int i, int j, int k)> value;
};

// The cell centres between the two ends: the nodes of values that are not stored at the faces of this direction.
std::vector<double> nodes_with_ends(std::span<const double> faces);

// Cubic Lagrange interpolation in each direction on the four nodes around x (one-sided at the ends): fourth order,
// exact at the nodes, so that a point on a wall gets the wall's value.
double interpolate(const SampledField& field, const ProbePoint& x);

struct Probe {
  std::string name;
  ProbePoint from{}, to{};
  int points = 0;
  std::vector<std::string> fields;
  std::optional<double> crossing;
  std::optional<Comparison> reference;
  std::string reference_field;
  int direction = 0;  // of the line; used if there is a reference

  ProbePoint at(int i) const;                    // points >= 2 of equal distance, both ends included
  ProbePoint at_coordinate(double along) const;  // the line's point of this coordinate; needs a reference
};

struct Box {
  ProbePoint low{}, high{};
};

std::vector<KeyTable> probe_keys_of_case(), history_reference_keys();

// The case's [[probe]] tables. `fields`: the names that the flow code can give. Refuses, with file and line, lines that
// leave the box, unknown fields and published data that cannot be read. In 2D points may have two coordinates: z is the
// middle.
std::vector<Probe> read_probes(const Table& configuration, const Box& box, std::span<const std::string> fields);

// The quantities that write_probes returns: position_NAME, error_NAME, mean_error_NAME, of those with data for them.
std::vector<std::string> probe_quantities(std::span<const Probe> probes);

// Writes FOLDER/NAME.csv (columns x,y,z and the fields) for each probe and, if it has a reference,
// FOLDER/NAME_reference.csv (columns x,y,z,published,computed,difference). error_NAME and mean_error_NAME are the
// largest and the mean |computed - published|, position_NAME the place of the crossing, as a distance from `from`.
std::vector<std::pair<std::string, double>> write_probes(const std::string& folder, std::span<const Probe> probes,
                                                         std::span<const SampledField> fields);
// The same of any flow: the value of a field at a point of the probe's line.
using ProbeValue = std::function<double(const std::string& field, const ProbePoint& x)>;
std::vector<std::pair<std::string, double>> write_probes(const std::string& folder, std::span<const Probe> probes,
                                                         const std::function<ProbeValue(const Probe&)>& value_along);

// The case's [[history_reference]] tables: a column of history.csv (quantity) and the published data that belongs to it
// (reference, as of a probe; its coordinate is the time). Rejected with file and line if the quantity is not one of
// `columns` or the data cannot be read.
struct HistoryReference {
  std::string quantity;
  Comparison published;
};
std::vector<HistoryReference> read_history_references(const Table& configuration, std::span<const std::string> columns);

// Writes FOLDER/history_reference.csv (columns quantity,time,published), for the report; no file if there are no data.
void write_history_references(const std::string& folder, std::span<const HistoryReference> references);

}  // namespace weir
