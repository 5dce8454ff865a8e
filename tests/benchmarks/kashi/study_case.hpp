// Data of the study of Kashi & Nadarajah 2020: a case, the state from which every run of the second-order
// scheme starts, and the preconditioners that are compared.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "miniapps/compressible/flow.hpp"

namespace weir::kashi {

// Stays where it is: the flow refers to it.
struct StudyCase {
  std::string path;
  std::vector<std::string> overrides;
  Table config;
  CompressibleCase c;
  std::string ordering, ordering_type;  // as the log tells it; as the case names it
  UnstructuredMesh mesh;
  std::vector<FlowBoundary> boundary;

  StudyCase(const std::string& file, const std::vector<std::string>& sets);
  StudyCase(const StudyCase&) = delete;
};

// One preconditioner, as a table and a figure name it.
struct Variant {
  std::string type = "async_block_ilu0";  // | "async_ilu0" | "block_ilu0"
  int build_sweeps = 1, apply_sweeps = 3;
  int threads = 1;
  bool prescribed = false;  // threads are lanes of a seeded delay model, which repeats bit for bit
  int seed = 1;
  bool scaled = false;               // symmetric scaling of the matrix to a unit diagonal first
  static constexpr int chunk = 384;  // block rows, as in the paper
  std::string text() const;          // the table [linear.flow.preconditioner], in TOML
};

// [linear.flow] of the case with this preconditioner.
Table linear_with(const StudyCase& study, const Variant& variant, const std::vector<std::string>& more = {});

// The state at the end of the first-order start, made with sequential block ILU(0) on one thread, so that all runs
// start from the same one.
std::vector<double> first_order_state(const StudyCase& study);

}  // namespace weir::kashi
