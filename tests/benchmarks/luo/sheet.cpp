#include "tests/benchmarks/luo/sheet.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "postproc/own_file.hpp"
#include "postproc/report/python.hpp"

namespace weir::bench {
namespace {

std::string stem_in(const std::string& folder, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(Exit::file_io, folder + ": " + error.message());
  return folder + "/" + name;
}

}  // namespace

Sheet::Sheet(const std::string& folder, const std::string& name, const std::vector<std::string>& columns)
    : stem_(stem_in(folder, name)), kind_(name), table_(columns, stem_ + ".csv") {}

void Sheet::draw() {
  table_.flush();
  std::printf("\n%s.csv\n", stem_.c_str());
  const std::string script = own_file("tests/benchmarks/luo/plots.py");
  const auto python = find_python("matplotlib");
  if (!python)
    std::printf("no plot: no python3 with matplotlib (Debian: apt-get install python3-matplotlib)\n");
  else if (run_child({*python, "-B", script, kind_, stem_ + ".csv", stem_ + ".png"}) == 0)
    std::printf("%s.png\n", stem_.c_str());
  else
    std::printf("no plot: %s failed\n", script.c_str());
}

}  // namespace weir::bench
