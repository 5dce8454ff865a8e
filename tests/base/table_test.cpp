#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "inputs/case.hpp"

namespace weir::table_test {
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

const char* const text = R"([case]
title = "a"
[time]
cfl = "fast"
end = 3
steps = 5000000000
deterministic = 1
[grid]
cells = [8, 8.5, 1]
length = []
stretching = ["uniform", { type = "tanh", factor = 2.0 }]
[[probe]]
name = "u"
points = 9
)";

Table sample() { return read_case_text(text, "cavity.toml"); }

TEST(Table, GivesTypedValuesAndTakesAnIntegerForANumber) {
  const Table t = sample();
  EXPECT_EQ(t.table("case").get<std::string>("title"), "a");
  EXPECT_EQ(t.table("time").get<double>("end"), 3.0);
  EXPECT_EQ(t.table("time").get<std::int64_t>("steps"), 5000000000);
  EXPECT_EQ(t.table("grid").get<std::vector<double>>("cells"), (std::vector<double>{8, 8.5, 1}));
  EXPECT_TRUE(t.table("grid").get<std::vector<double>>("length").empty());
}

TEST(Table, RefusesAWrongTypeWithFileAndLine) {
  const Table time = sample().table("time"), grid = sample().table("grid");
  EXPECT_EQ(refusal([&] { time.get<double>("cfl", 1.0); }), "cavity.toml:4: 'cfl' must be a number, got a string");
  EXPECT_EQ(refusal([&] { time.get<bool>("deterministic", true); }),
            "cavity.toml:7: 'deterministic' must be true or false, got an integer");
  EXPECT_EQ(refusal([&] { time.get<int>("steps", 1); }), "cavity.toml:6: 'steps' must be an integer, got 5000000000");
  EXPECT_EQ(refusal([&] { time.get<std::string>("end"); }), "cavity.toml:5: 'end' must be a string, got an integer");
  EXPECT_EQ(refusal([&] { grid.get<std::vector<int>>("cells"); }),
            "cavity.toml:9: 'cells' must be an array of integers, got a number in it");
  EXPECT_EQ(refusal([&] { sample().table("time").table("end"); }),
            "cavity.toml:5: 'end' must be a table, got an integer");
  EXPECT_EQ(refusal([&] { sample().tables("time"); }), "cavity.toml:3: 'time' must be an array of tables, got a table");
}

TEST(Table, RefusesAMissingKeyThatHasNoDefault) {
  const Table mistyped = read_case_text("[flow]\nviscocity = 0.01\n", "cavity.toml");
  EXPECT_EQ(refusal([&] { mistyped.table("flow").get<double>("viscosity"); }),
            "cavity.toml:2: missing key 'viscosity' in [flow]; did you mean 'viscocity'?");
  EXPECT_EQ(refusal([] { sample().table("time").get<double>("dt"); }), "cavity.toml:3: missing key 'dt' in [time]");
  EXPECT_EQ(refusal([] { sample().table("flow").get<double>("viscosity"); }),
            "cavity.toml:1: missing key 'viscosity' in [flow]");
}

TEST(Table, RefusesAWordThatIsNotAChoice) {
  const Table t = sample().table("time");
  EXPECT_EQ(refusal([&] {
              t.choice("cfl", {"fats", "slow"}, "slow");
            }),
            "cavity.toml:4: 'cfl' must be one of \"fats\", \"slow\", got \"fast\"; did you mean 'fats'?");
  EXPECT_EQ(t.choice("scheme", {"a", "b"}, "b"), "b");
}

TEST(Table, RefusesAKeyThatNobodyReadAndNamesTheNearest) {
  const Table t = read_case_text("[grid]\ncels = [1]\n", "c.toml");
  t.table("grid").get<std::vector<int>>("cells", {1});
  EXPECT_EQ(refusal([&] { t.refuse_unknown(); }), "c.toml:2: unknown key 'cels'; did you mean 'cells'?");

  const Table far = read_case_text("[grid]\nzzzzzz = [1]\n", "c.toml");
  far.table("grid").get<int>("a", 1);
  far.table("grid").has("b");
  EXPECT_EQ(refusal([&] { far.refuse_unknown(); }), "c.toml:2: unknown key 'zzzzzz'; known here: a, b");
}

TEST(Table, RefusesUnreadTablesAndKeysOfArraysOfTables) {
  const Table whole = read_case_text("\n[gird]\ncells = 1\n", "c.toml");
  whole.table("grid");
  EXPECT_EQ(refusal([&] { whole.refuse_unknown(); }), "c.toml:2: unknown key 'gird'; did you mean 'grid'?");

  const Table probes = read_case_text("[[probe]]\nname = 'a'\n[[probe]]\nnaem = 'b'\n", "c.toml");
  for (const Table& p : probes.tables("probe")) p.get("name", "");
  EXPECT_EQ(refusal([&] { probes.refuse_unknown(); }), "c.toml:4: unknown key 'naem'; did you mean 'name'?");
}

TEST(Table, IsContentOnceEverythingWasRead) {
  const Table t = read_case_text("a = 1\n[b]\nc = [1]\n[b.d]\n", "c.toml");
  t.get<int>("a");
  t.table("b").get<std::vector<int>>("c");
  t.table("b").table("d");
  EXPECT_NO_THROW(t.refuse_unknown());
}

TEST(Table, TakesAWordInAnArrayOfTablesForItsType) {
  const auto s = sample().table("grid").tables("stretching");
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].get("type", ""), "uniform");
  EXPECT_EQ(s[1].get("type", ""), "tanh");
  EXPECT_EQ(s[1].get<double>("factor"), 2.0);
}

TEST(Table, KeepsTheOrderOfTheFile) {
  const Table t = read_case_text("z = 1\na = 2\n[m]\n[b]\n", "c.toml");
  EXPECT_EQ(t.keys(), (std::vector<std::string>{"z", "a", "m", "b"}));
}

TEST(Table, KnowsWhatIsInTheFileAndWhatIsADefault) {
  const Table t = sample();
  EXPECT_EQ(t.table("time").get<double>("dt", 0.1), 0.1);
  EXPECT_FALSE(t.table("time").has("dt"));
  EXPECT_TRUE(t.table("time").has("end"));
  EXPECT_FALSE(t.has("device"));
  t.table("device").get("space", "auto");
  EXPECT_FALSE(t.has("device"));
  EXPECT_TRUE(t.is_table("grid"));
  EXPECT_EQ(t.where("probe"), "cavity.toml:12");
}

TEST(Table, WritesAnEffectiveConfigurationThatReadsBackTheSame) {
  const Table t = read_case_text(
      "s = \"quote \\\" tab \\t\"\nx = 0.1\nbig = 1e300\nwhole = 2.0\nn = -7\nflag = true\nl = ['a', 'b']\nm = [1, {q "
      "= 2}]\n"
      "[empty]\n[b.c]\nd = 1\n[[p]]\ne = 1\n[p.inner]\nf = 2\n[[p]]\n[odd.\"key with space\"]\n",
      "c.toml");
  t.get("added", "default");
  t.table("made").get<double>("y", 1.0 / 3);
  t.table("hollow").table("inside");
  const std::string first = t.effective();
  const Table back = read_case_text(first, "e.toml");
  EXPECT_EQ(back.effective(), first);
  EXPECT_EQ(back.get<std::string>("s"), "quote \" tab \t");
  EXPECT_EQ(back.get<double>("x"), 0.1);
  EXPECT_EQ(back.get<double>("whole"), 2.0);
  EXPECT_EQ(back.table("made").get<double>("y"), 1.0 / 3);
  EXPECT_EQ(back.get<std::string>("added"), "default");
  EXPECT_EQ(back.tables("p")[0].table("inner").get<int>("f"), 2);
  EXPECT_TRUE(back.has("empty"));
  EXPECT_FALSE(back.has("hollow"));
  EXPECT_NE(first.find("whole = 2.0\n"), std::string::npos) << first;
}

TEST(Table, AnEmptyTableHasEveryDefaultAndCanFail) {
  const Table t;
  EXPECT_EQ(t.get<int>("n", 3), 3);
  EXPECT_EQ(refusal([&] { t.fail("n", "no good"); }), "no good");
}

constexpr Option described[] = {
    {"n", Option::integer, "2", "how many", "[1, 9]"},
    {"x", Option::number, "0.5", "how much", "(0, inf)", "m"},
    {"list", Option::numbers, "[1, 2.5]", "some"},
    {"storage", Option::text, "double", "precision of the factors", "double | float", "", "factors, single=float"},
    {"size", Option::integer, Option::required, "size of it"},
    {"rate", Option::number, "depends on n", "rate of change"}};
constexpr Option around[] = {
    {"inner", Option::table, "", "a table inside", "", "", "", [] { return Options(described); }}};

TEST(Table, DescribedKeysHaveTheirDefaultsAndRanges) {
  const Table t = read_case_text("size = 3\n", "d.toml").described_by(described);
  EXPECT_EQ(t.get<int>("n"), 2);
  EXPECT_EQ(t.get<double>("x"), 0.5);
  EXPECT_EQ(t.get<std::vector<double>>("list"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(t.get<std::string>("storage"), "double");
  EXPECT_EQ(t.get<int>("size"), 3);
  EXPECT_EQ(t.get<double>("rate", 7.0), 7);
  EXPECT_NE(t.effective().find("n = 2\nx = 0.5\n"), std::string::npos) << t.effective();
  EXPECT_THROW(t.get<int>("other"), std::logic_error);
  EXPECT_THROW(t.get<double>("rate"), Error);  // read without a computed default: here it is required

  const Table bad = read_case_text("n = 0\nx = 0\nstorage = \"flaot\"\n", "d.toml").described_by(described);
  EXPECT_EQ(refusal([&] { bad.get<int>("n"); }), "d.toml:1: 'n' must lie between 1 and 9, got 0");
  EXPECT_EQ(refusal([&] { bad.get<double>("x"); }), "d.toml:2: 'x' must be positive, got 0");
  EXPECT_EQ(refusal([&] { bad.get<std::string>("storage"); }),
            "d.toml:3: 'storage' must be one of \"double\", \"float\", got \"flaot\"; did you mean 'float'?");
  EXPECT_EQ(refusal([&] { bad.get<int>("size"); }), "d.toml:1: missing key 'size'");
}

TEST(Table, OlderNamesOfAKeyCountAsTheKey) {
  const Table file = read_case_text("[inner]\nfactors = \"single\"\n", "d.toml").described_by(around);
  EXPECT_EQ(file.table("inner").get<std::string>("storage"), "float");
  EXPECT_EQ(file.effective(), "[inner]\nstorage = \"float\"\n");
  file.refuse_unknown();
  EXPECT_EQ(
      refusal([&] { read_case_text("factors = \"float\"\nstorage = \"double\"\n", "d.toml").described_by(described); }),
      "d.toml:1: 'factors' is an older name of 'storage', which is given as well");
  const Table set = read_case_text("storage = \"double\"\n", "d.toml", {"factors=float"}).described_by(described);
  EXPECT_EQ(set.get<std::string>("storage"), "float");
}

TEST(Nearest, CountsASwapAsOneEditAndLeavesFarWordsAlone) {
  EXPECT_EQ(edit_distance("naem", "name"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(nearest("a", {"xy", "z"}), "");
  EXPECT_EQ(nearest("tolerence", {"tolerance", "relative"}), "tolerance");
}

}  // namespace
}  // namespace weir::table_test
