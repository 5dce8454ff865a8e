#include "miniapps/study/ab/ab_study.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <set>

#include "base/error.hpp"
#include "inputs/case.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

AbCase read_case_of(const Table& t, const fs::path& folder, const std::string& text) {
  AbCase c;
  const fs::path path = folder / text;
  if (!fs::exists(path)) t.fail("cases", path.lexically_normal().string() + ": no such file");
  c.path = path.lexically_normal().string();
  c.is_checkpoint = fs::is_directory(path) || path.extension() == ".h5";
  c.name = path.stem().string();
  return c;
}

AbTarget read_target(const Table& t) {
  AbTarget target;
  if (!t.is_table("until")) {
    t.choice("until", {"end"}, "end");
    return target;
  }
  const Table until = t.table("until");
  if (until.has("time")) {
    target.kind = AbTarget::Kind::time;
    target.value = until.get<double>("time");
    return target;
  }
  target.kind = AbTarget::Kind::column;
  target.column = until.get<std::string>("column");
  target.value = until.get<double>("falls_to");
  if (!(target.value > 0))
    until.fail("falls_to", "'falls_to' must be positive: a fraction of the column's largest value");
  return target;
}

void refuse_twins(const Table& t, const char* key, const std::vector<std::string>& names) {
  if (names.empty()) t.fail(key, std::string("'") + key + "' names none");
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second) t.fail(key, "two of '" + std::string(key) + "' are called '" + name + "'");
}

}  // namespace

std::string AbTarget::describe() const {
  if (kind == Kind::time) return fmt::format("until time {:g}", value);
  if (kind == Kind::column) return fmt::format("until {} has fallen to {:g} of its largest value", column, value);
  return "to the end of each run";
}

AbStudy read_ab_study(const std::string& path) {
  const Table file = read_case(path);
  const Table t = file.table("study");
  AbStudy s;
  s.path = path;
  s.title = t.get("title", "");
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> names;
  for (const auto& text : t.get<std::vector<std::string>>("cases")) {
    s.cases.push_back(read_case_of(t, folder, text));
    names.push_back(s.cases.back().name);
  }
  refuse_twins(t, "cases", names);
  const auto configurations = t.get<std::vector<std::string>>("configurations");
  refuse_twins(t, "configurations", configurations);
  const std::vector<std::string> none;
  for (const auto& name : configurations) {
    if (!file.table("configuration").is_table(name))
      t.fail("configurations", "no table [configuration." + name + "] defines it");
    s.configurations.push_back({name, file.table("configuration").table(name).get("set", none)});
    if (s.configurations.size() == 1) s.configurations.push_back({name + " again", s.configurations[0].set});
  }
  s.repeats = t.get<int>("repeats", s.repeats);
  if (s.repeats < 1) t.fail("repeats", "'repeats' must be at least 1");
  s.seed = static_cast<std::uint64_t>(t.get<std::int64_t>("seed", 1));
  s.steps = t.get<std::int64_t>("steps", 0);
  s.wall_limit = t.get<double>("wall_limit", 0.0);
  s.set = t.get("set", none);
  s.target = read_target(t);
  s.report = t.get<bool>("report", true);
  file.refuse_unknown();
  return s;
}

std::vector<AbTwin> draw_order(const AbStudy& study) {
  std::vector<AbTwin> all;
  for (int repeat = 0; repeat < study.repeats; ++repeat) {
    const std::size_t first = all.size();
    for (std::size_t c = 0; c < study.cases.size(); ++c)
      for (std::size_t k = 0; k < study.configurations.size(); ++k) all.push_back({c, k, repeat, 0});
    std::mt19937_64 random(study.seed + 1000003 * static_cast<std::uint64_t>(repeat));
    for (std::size_t i = all.size() - 1; i > first; --i) std::swap(all[i], all[first + random() % (i - first + 1)]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].place = static_cast<int>(i);
  return all;
}

}  // namespace weir
