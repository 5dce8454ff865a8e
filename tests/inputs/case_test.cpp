#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "base/error.hpp"
#include "inputs/case.hpp"

namespace weir::case_test {
namespace {

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "not refused";
}

constexpr const char* document =
    "[time]\ncfl = 0.5\n[grid]\ncells = [8, 8, 1]\n[[probe]]\npoints = 9\n[[probe]]\npoints = 17\n";

Table with(const std::vector<std::string>& overrides) { return read_case_text(document, "c.toml", overrides); }

TEST(Case, SyntaxErrorsCarryFileAndLine) {
  const std::string message = refusal([] { read_case_text("a = 1\nb = = 2\n", "c.toml"); });
  EXPECT_TRUE(message.starts_with("c.toml:2: ")) << message;
  const std::string twice = refusal([] { read_case_text("a = 1\na = 2\n", "c.toml"); });
  EXPECT_TRUE(twice.starts_with("c.toml:2: ")) << twice;
}

TEST(Case, TextsThatTripTheParsersAssertionsAreRefusedWithTheirLine) {
  EXPECT_TRUE(refusal([] { read_case_text("[\n", "c.toml"); }).starts_with("c.toml:1: "));
  EXPECT_TRUE(refusal([] { read_case_text("a = 1\nb = [24,}56]\nc = 2\n", "c.toml"); }).starts_with("c.toml:2: "));
  EXPECT_EQ(with({"time.words=[24,}56]"}).table("time").get<std::string>("words"), "[24,}56]");
}

TEST(Case, DeepNestingIsRefused) {
  std::string key = "a";
  for (int i = 0; i < 20000; ++i) key += ".a";
  EXPECT_TRUE(refusal([&] { read_case_text("x = 1\n[" + key + "]\n", "c.toml"); }).starts_with("c.toml:2: "));
  EXPECT_TRUE(refusal([&] { read_case_text(key + " = 1\n", "c.toml"); }).starts_with("c.toml:1: "));
  const std::string arrays = "x = " + std::string(20000, '[') + std::string(20000, ']') + "\n";
  EXPECT_TRUE(refusal([&] { read_case_text(arrays, "c.toml"); }).starts_with("c.toml:1: "));
}

// Whatever stands in the text: a table, or an error of exit code 2.
TEST(Case, MutatedTextsAreReadOrRefused) {
  const std::string text =
      "[grid]\ncells = [24, 56]\nstretching = [{ type = \"tanh\", factor = 2.0 }]\n[[probe]]\nname = "
      "'a'\n[linear.pressure]\n"
      "tolerance = 1e-8 # of |b|\npreconditioner = { type = \"multigrid\", cycle = \"V\" }\n";
  const std::string bits = "[]{}=,.#\"'\n \t\\-+eE019_axz\0\x7f\xc3\xff";
  std::mt19937 random(7);
  int read = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string mutated = text;
    for (auto edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % mutated.size();
      const char c = bits[random() % bits.size()];
      if (random() % 3 == 0)
        mutated.erase(at, 1 + random() % 5);
      else if (random() % 2 == 0)
        mutated.insert(at, 1, c);
      else
        mutated[at] = c;
      if (mutated.empty()) mutated = c;
    }
    try {
      read_case_text(mutated, "c.toml");
      ++read;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage) << mutated;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(Case, AMissingFileIsNamed) {
  EXPECT_EQ(refusal([] { read_case("no_such_case.toml"); }),
            "no_such_case.toml: cannot open the case file: No such file or directory");
}

TEST(Case, DatesAreRefused) {
  EXPECT_EQ(refusal([] { read_case_text("\nd = 2020-01-01\n", "c.toml"); }),
            "c.toml:2: dates and times are not supported; expected a number, string, array or table");
}

TEST(Case, OverridesTakeTomlValuesAndBareWords) {
  const Table t =
      with({"time.cfl=0.25", "device.space=host", "grid.cells=[4,4,4]", "a.b.c=true", "time.note=two words"});
  EXPECT_EQ(t.table("time").get<double>("cfl"), 0.25);
  EXPECT_EQ(t.table("device").get("space", "auto"), "host");
  EXPECT_EQ(t.table("grid").get<std::vector<int>>("cells"), (std::vector<int>{4, 4, 4}));
  EXPECT_TRUE(t.table("a").table("b").get<bool>("c"));
  EXPECT_EQ(t.table("time").get("note", ""), "two words");
}

TEST(Case, OverridesReachIntoArrays) {
  const Table t = with({"probe.1.points=33", "grid.cells.2=5", "probe.0.name=u"});
  EXPECT_EQ(t.tables("probe")[0].get<int>("points"), 9);
  EXPECT_EQ(t.tables("probe")[0].get("name", ""), "u");
  EXPECT_EQ(t.tables("probe")[1].get<int>("points"), 33);
  EXPECT_EQ(t.table("grid").get<std::vector<int>>("cells"), (std::vector<int>{8, 8, 5}));
}

TEST(Case, TheLastOverrideOfAKeyWins) {
  EXPECT_EQ(with({"time.cfl=1", "time.cfl=2"}).table("time").get<double>("cfl"), 2.0);
}

TEST(Case, AnOverrideIsThePlaceOfItsValue) {
  EXPECT_EQ(refusal([] { with({"time.cfl=fast"}).table("time").get<double>("cfl"); }),
            "--set time.cfl: 'cfl' must be a number, got a string");
  EXPECT_EQ(refusal([] {
              const Table t = with({"gird.cells=1"});
              for (const char* key : {"time", "grid"}) t.table(key);
              t.table("time").get<double>("cfl");
              t.table("grid").get<std::vector<int>>("cells");
              for (const Table& p : t.tables("probe")) p.get<int>("points");
              t.refuse_unknown();
            }),
            "--set gird.cells: unknown key 'gird'; did you mean 'grid'?");
}

TEST(Case, AnOverrideThatLeadsNowhereIsRefused) {
  EXPECT_EQ(refusal([] { with({"time.cfl"}); }), "--set time.cfl: expected key.path=value");
  EXPECT_EQ(refusal([] { with({"time..cfl=1"}); }), "--set time..cfl: expected a key path such as grid.cells");
  EXPECT_EQ(refusal([] { with({"time.cfl.x=1"}); }), "--set time.cfl.x: 'cfl' is a number, not a table");
  EXPECT_EQ(refusal([] { with({"probe.2.points=1"}); }),
            "--set probe.2.points: 'probe' has no element '2'; its indices are 0 .. 1");
  EXPECT_EQ(refusal([] { with({"probe.points=1"}); }),
            "--set probe.points: 'probe' has no element 'points'; its indices are 0 .. 1");
}

Table without(const std::vector<std::string>& unset, const std::vector<std::string>& overrides = {}) {
  return read_case_text(document, "c.toml", overrides, unset);
}

TEST(Case, AKeyIsTakenOutBeforeAnyIsSet) {
  EXPECT_FALSE(without({"time.cfl"}).table("time").has("cfl"));
  EXPECT_FALSE(without({"probe"}).has("probe"));
  EXPECT_EQ(without({"probe.0"}).tables("probe").size(), 1U);
  EXPECT_EQ(without({"time.cfl"}, {"time.cfl=3"}).table("time").get<double>("cfl"), 3.0);
  const Table t = without({"time"}, {"time.dt=0.1"});
  EXPECT_EQ(t.table("time").get<double>("dt"), 0.1);
  EXPECT_FALSE(t.table("time").has("cfl"));
}

TEST(Case, AKeyThatTheCaseDoesNotSetCannotBeTakenOut) {
  EXPECT_EQ(refusal([] { without({"time.clf"}); }),
            "--unset time.clf: the case does not set 'clf'; did you mean 'cfl'?");
  EXPECT_EQ(refusal([] {
              without({"time.cfl", "time.cfl"});
            }).substr(0, 43),
            "--unset time.cfl: the case does not set 'cf");
  EXPECT_EQ(refusal([] { without({"time.cfl.x"}); }), "--unset time.cfl.x: the case does not set 'x'");
  EXPECT_EQ(refusal([] { without({"nothing.here"}); }).substr(0, 52),
            "--unset nothing.here: the case does not set 'nothing");
  EXPECT_EQ(refusal([] { without({"time..cfl"}); }), "--unset time..cfl: expected a key path such as grid.cells");
  EXPECT_EQ(refusal([] { without({"probe.7"}); }).substr(0, 43), "--unset probe.7: 'probe' has no element '7'");
}

}  // namespace
}  // namespace weir::case_test
