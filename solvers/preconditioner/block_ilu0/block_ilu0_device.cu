// block_ilu0 on the device: storage and the choice of form.
#include "solvers/preconditioner/block_ilu0/block_ilu0_device.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {

using block_ilu0::DeviceFactors;
using block_ilu0::EntryForm;
using block_ilu0::OneLaunchForm;
using block_ilu0::WorkgroupForm;

Hyperplanes::Hyperplanes(Extents e, int cells_a_group) : group(cells_a_group) {
  start.assign(static_cast<std::size_t>(e.nx + e.ny + e.nz - 1), 0);
  const auto level = [e](int c) { return static_cast<std::size_t>(c % e.nx + c / e.nx % e.ny + c / (e.nx * e.ny)); };
  for (int c = 0; c < e.count(); ++c) ++start[level(c) + 1];
  for (std::size_t p = 1; p < start.size(); ++p) start[p] = start[p - 1] + (start[p] + group - 1) / group * group;
  std::vector<int> next = start;
  cells.assign(static_cast<std::size_t>(start.back()), -1);
  for (int c = 0; c < e.count(); ++c) cells[static_cast<std::size_t>(next[level(c)]++)] = c;
}

int Hyperplanes::widest() const {
  int most = 0;
  for (std::size_t p = 1; p < start.size(); ++p) most = std::max(most, start[p] - start[p - 1]);
  return most;
}

namespace {

// The first cell in natural order whose block could not be inverted, or -1.
int first_bad(const int* bad, int cells) {
  const double most =
      max_abs<Device>(cells, [=] WEIR_HD(int c) { return bad[c] ? static_cast<double>(cells - c) : 0.0; });
  return most > 0 ? cells - static_cast<int>(most) : -1;
}

constexpr int largest_workgroup_block = 32;  // n x n threads a cell, of the 1024 that a workgroup may have

BlockIluOptions resolved(BlockIluOptions options, int n) {
  if (options.form == BlockIluForm::automatic)
    options.form = n <= largest_workgroup_block ? BlockIluForm::one_launch : BlockIluForm::entry;
  if (options.form != BlockIluForm::entry && n > largest_workgroup_block)
    throw Error(Exit::usage, std::string("block_ilu0: form = \"") + to_string(options.form) +
                                 "\" takes blocks of at most " + std::to_string(largest_workgroup_block) +
                                 " unknowns, this matrix has " + std::to_string(n) + "; form = \"entry\" takes any");
  return options;
}

// Only the form in use has storage of its own.
std::int64_t only(bool used, std::int64_t size) { return used ? size : 0; }

}  // namespace

template <class T>
BlockIluFactors<Device, T>::BlockIluFactors(const BlockStencil<Device>& A, const BlockIluOptions& options)
    : options_(resolved(options, A.block())),
      levels_(A.cells(), options_.form == BlockIluForm::entry ? 1 : block_ilu0::cells_a_workgroup(A.block())),
      order_(levels_.cells),
      d_(std::int64_t{A.rows()} * A.block() * A.block()),
      work_(only(options_.form == BlockIluForm::entry, EntryForm<T>::work_size(A.stencil(), levels_))),
      bad_(A.rows()),
      finished_(std::vector<int>(only(options_.form == BlockIluForm::one_launch, A.rows()), 0)),
      drawn_(std::vector<unsigned>(1, 0)),
      turns_(drawn_.data()) {}

template <class T>
std::int64_t BlockIluFactors<Device, T>::bytes() const {
  const std::int64_t ints = order_.size() + bad_.size() + finished_.size();
  return d_.size() * static_cast<std::int64_t>(sizeof(T)) + work_.size() * 8 + ints * 4;
}

template <class T>
DeviceFactors<T> BlockIluFactors<Device, T>::factors(const BlockStencilView& A) {
  return {A, d_.data(), order_.data(), work_.data(), bad_.data(), finished_.data(), options_.pivoting};
}

template <class T>
FailedCell BlockIluFactors<Device, T>::factorise(const BlockStencilView& A) {
  switch (options_.form) {
    case BlockIluForm::entry:
      EntryForm<T>::factorise(factors(A), levels_);
      break;
    case BlockIluForm::workgroup:
      WorkgroupForm<T>::factorise(factors(A), levels_);
      break;
    default:
      OneLaunchForm<T>::factorise(factors(A), levels_, turns_);
  }
  return first_bad(bad_.data(), A.cells.count());
}

template <class T>
void BlockIluFactors<Device, T>::solve(const BlockStencilView& A, const double* r, double* z) {
  switch (options_.form) {
    case BlockIluForm::entry:
      EntryForm<T>::solve(factors(A), levels_, r, z);
      break;
    case BlockIluForm::workgroup:
      WorkgroupForm<T>::solve(factors(A), levels_, r, z);
      break;
    default:
      OneLaunchForm<T>::solve(factors(A), levels_, turns_, r, z);
  }
}

template class BlockIluFactors<Device, double>;
template class BlockIluFactors<Device, float>;

}  // namespace weir
