#include "miniapps/study/select/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "postproc/run/csv.hpp"

namespace weir {

std::vector<Decision> read_decisions(const std::string& file, const std::string& system,
                                     const std::vector<std::string>& names) {
  const auto fail = [&](const std::string& what) { throw Error(Exit::usage, file + ": " + what); };
  if (!std::filesystem::is_regular_file(file)) fail("no such file; expected decisions.csv of a run with [select]");
  const Csv csv(file);
  for (const char* column : {"step", "system", "from", "to", "why"})
    if (!csv.has(column)) fail(fmt::format("no column '{}'; expected decisions.csv of a run with [select]", column));
  std::vector<Decision> all;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    if (csv.text(row, "system") != system) continue;
    Decision d;
    const double step = csv.number(row, "step");
    if (!(step >= 1) || step > 1e15) fail(fmt::format("line {}: invalid step '{}'", row + 2, csv.text(row, "step")));
    d.step = static_cast<std::int64_t>(step);
    d.from = csv.text(row, "from");
    d.to = csv.text(row, "to");
    d.why = csv.text(row, "why");
    if (csv.has("races"))
      d.evidence = fmt::format("{},{},{},{}", csv.text(row, "ratio"), csv.text(row, "low"), csv.text(row, "high"),
                               csv.text(row, "races"));
    if (std::ranges::find(names, d.to) == names.end())
      fail(fmt::format("line {}: unknown solver '{}'; known: {}", row + 2, d.to, fmt::join(names, ", ")));
    if (!all.empty() && d.step < all.back().step) fail(fmt::format("line {}: the steps must ascend", row + 2));
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace weir
