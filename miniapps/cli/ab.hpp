// weir ab STUDY.toml -o DIR: paired A/B runs (miniapps/study/ab/ab_study.hpp).
#pragma once
#include <string>

namespace weir {

struct AbArguments {
  std::string study, directory;
};
// Runs what DIR does not hold yet; writes ab.csv, ab_summary.csv, ab_quantities.csv, study.toml and report.html there.
int run_ab(const AbArguments& arguments);

// report.html of such a directory; false where it is none.
bool write_ab_report(const std::string& directory);

}  // namespace weir
