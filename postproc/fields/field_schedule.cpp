#include "postproc/fields/field_schedule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/foreign/optional_library.hpp"
#include "base/table_node.hpp"
#include "postproc/fields/vtkhdf.hpp"

namespace weir {
namespace {

constexpr Option keys[] = {
    {"fields_every_steps", Option::integer, "0",
     "number of time steps between two field outputs; 0: only the final state is written", "[0, inf)", "steps"},
    {"fields_every_time", Option::number, "0",
     "flow time between two field outputs; 0: only the final state is written", "[0, inf)", "time"},
    {"fields_every", Option::number, "0",
     "older name: an integer stands for fields_every_steps, a number with a decimal point for fields_every_time",
     "[0, inf)"},
    {"fields_format", Option::text, "xml",
     "file format of the field output; xml: VTK XML (vtk/CASE.pvd and one .vtr or .vtu file per output time); vtkhdf: "
     "compressed VTKHDF, which requires a build with HDF5; both: both formats",
     "xml | vtkhdf | both"}};

}  // namespace

Options field_schedule_options() { return keys; }

FieldSchedule::FieldSchedule(const Table& output) {
  const Table t = output.described_by(keys);
  steps_ = t.get<std::int64_t>("fields_every_steps");
  time_ = t.get<double>("fields_every_time");
  const auto format = t.get<std::string>("fields_format");
  format_ = format == "xml" ? FieldFormat::xml : format == "both" ? FieldFormat::both : FieldFormat::vtkhdf;
  if (format_ != FieldFormat::xml && !vtkhdf_available())
    t.fail("fields_format", "VTKHDF output is not available: " + lacks("HDF5"));
  if (!t.has("fields_every")) return;
  const auto either = t.get<double>("fields_every");
  if (either == 0) return;
  if (steps_ > 0 || time_ > 0)
    t.fail("fields_every", "fields_every is the older name of fields_every_steps and fields_every_time: remove it");
  if (t.node()->find("fields_every")->kind == TableNode::Kind::integer)
    steps_ = static_cast<std::int64_t>(either);
  else
    time_ = either;
}

bool FieldSchedule::is_due(std::int64_t step, double time, double dt) const {
  if (steps_ > 0 && step % steps_ == 0) return true;
  if (time_ <= 0) return false;
  constexpr double round_off = 1e-9;  // of a period: a sum of time steps misses it by less
  return std::floor(time / time_ + round_off) > std::floor((time - dt) / time_ + round_off);
}

std::string FieldSchedule::text() const {
  std::string text;
  if (steps_ > 0) text += steps_ == 1 ? "every step, " : fmt::format("every {} steps, ", steps_);
  if (time_ > 0) text += fmt::format("every {:g} time units, ", time_);
  return text + "the last state";
}

}  // namespace weir
