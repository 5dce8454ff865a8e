#include "solvers/matrix/matrix_record.hpp"

#include <array>

#include "base/error.hpp"
#include "solvers/device/on_host.hpp"
#include "solvers/matrix/block/rounded_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"
#include "solvers/matrix/stencil/separable_stencil.hpp"

namespace weir {
namespace {

using Integers = std::vector<std::int64_t>;
constexpr std::array<const char*, 3> axes = {"x", "y", "z"};

[[noreturn]] void misfit(const std::string& what) { throw Error(Exit::usage, "matrix record: " + what); }

template <class T>
const std::vector<T>& look_up(const std::vector<std::pair<std::string, std::vector<T>>>& list, const std::string& name,
                              std::int64_t size) {
  for (const auto& [key, values] : list) {
    if (key != name) continue;
    if (size >= 0 && static_cast<std::int64_t>(values.size()) != size)
      misfit("'" + name + "' has " + std::to_string(values.size()) + " values, not " + std::to_string(size));
    return values;
  }
  misfit("'" + name + "' is missing");
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& from) {
  return {from.begin(), from.end()};
}

void add_direction(NamedNumbers& to, const SeparableDirection& d, const std::string& axis) {
  to.add(axis + "_mass", d.mass);
  to.add(axis + "_lower", d.lower);
  to.add(axis + "_upper", d.upper);
  to.add(axis + "_boundary", d.boundary);
  to.add(axis + "_periodic", Integers{d.periodic});
}

SeparableDirection direction_of(const NamedNumbers& from, const std::string& axis) {
  SeparableDirection d;
  d.mass = from.numbers(axis + "_mass");
  const auto n = static_cast<std::int64_t>(d.mass.size());
  d.lower = from.numbers(axis + "_lower", n);
  d.upper = from.numbers(axis + "_upper", n);
  d.boundary = from.numbers(axis + "_boundary", n);
  d.periodic = from.whole(axis + "_periodic", 1).front() != 0;
  return d;
}

template <class Space>
MatrixRecord record_csr(const BlockSparse<Space>& A) {
  MatrixRecord r;
  r.kind = dynamic_cast<const RoundedCsr<Space>*>(&A) ? "rounded_csr" : "block_csr";
  r.pattern.add("block", Integers{A.block()});
  r.pattern.add("promises", Integers{A.is_symmetric(), A.has_constant_null_space()});
  r.pattern.add("row_start", A.row_start().to_vector());
  r.pattern.add("column", converted<std::int64_t>(A.column().to_vector()));
  Integers lines;
  for (const RowRange& line : A.lines()) lines.insert(lines.end(), {line.first, line.count});
  r.pattern.add("lines", std::move(lines));
  r.values.add("value", A.to_values());
  return r;
}

template <class Space>
std::unique_ptr<BlockSparse<Space>> rebuild_csr(const NamedNumbers& pattern, bool rounded) {
  BlockCsrData data;
  data.block = static_cast<int>(pattern.whole("block", 1).front());
  data.row_start = pattern.whole("row_start");
  data.column = converted<int>(pattern.whole("column"));
  if (data.block < 1 || data.block > largest_block || data.row_start.empty()) misfit("impossible sizes");
  const Integers& promises = pattern.whole("promises", 2);
  data.symmetric = promises[0] != 0;
  data.constant_null_space = promises[1] != 0;
  std::unique_ptr<BlockSparse<Space>> A;
  if (rounded)
    A = std::make_unique<RoundedCsr<Space>>(data);
  else
    A = std::make_unique<BlockCsr<Space>>(data);
  const Integers& flat = pattern.whole("lines");
  std::vector<RowRange> lines;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2)
    lines.push_back({static_cast<int>(flat[i]), static_cast<int>(flat[i + 1])});
  if (!lines.empty()) A->set_lines(std::move(lines));
  return A;
}

// Of a stencil, what BlockStencil and Banded share.
template <class Space>
MatrixRecord record_stencil(const BlockStencil<Space>& A) {
  MatrixRecord r;
  r.kind = "block_stencil";
  const Extents e = A.cells();
  const Periodic p = A.periodic();
  r.pattern.add("block", Integers{A.block()});
  r.pattern.add("cells", Integers{e.nx, e.ny, e.nz});
  r.pattern.add("periodic", Integers{p.x, p.y, p.z});
  std::vector<double> entries(static_cast<std::size_t>(A.entries()));
  A.download(entries);
  r.values.add("entries", std::move(entries));
  return r;
}

template <class Space>
MatrixRecord record_banded(const Banded<Space>& A) {
  MatrixRecord r = record_stencil<Space>(A);
  r.kind = "banded";
  r.pattern.add("has_grid", Integers{A.has_grid()});
  for (std::size_t d = 0; d < 3 && A.has_grid(); ++d) add_direction(r.pattern, A.directions()[d], axes[d]);
  const RemainderView R = A.remainder();
  const std::vector<int> start = R.rows > 0 ? on_host<Space>(R.start, R.rows + 1) : std::vector<int>{0};
  r.values.add("remainder_row", converted<std::int64_t>(on_host<Space>(R.row, R.rows)));
  r.values.add("remainder_start", converted<std::int64_t>(start));
  r.values.add("remainder_column", converted<std::int64_t>(on_host<Space>(R.column, start.back())));
  r.values.add("remainder_value", on_host<Space>(R.value, start.back()));
  return r;
}

template <class Space>
std::unique_ptr<Matrix<Space>> rebuild_stencil(const MatrixRecord& r) {
  const Integers &n = r.pattern.whole("cells", 3), &wraps = r.pattern.whole("periodic", 3);
  const auto entries = static_cast<double>(r.values.numbers("entries").size());
  double count = 1;
  for (const std::int64_t along : n) count *= static_cast<double>(along);
  if (n[0] < 1 || n[1] < 1 || n[2] < 1 || count > entries) misfit("impossible sizes");
  const Extents cells{static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])};
  const Periodic periodic{wraps[0] != 0, wraps[1] != 0, wraps[2] != 0};
  if (r.kind == "block_stencil")
    return std::make_unique<BlockStencil<Space>>(cells, static_cast<int>(r.pattern.whole("block", 1).front()),
                                                 periodic);
  auto A = std::make_unique<Banded<Space>>(cells, periodic);
  if (r.pattern.whole("has_grid", 1).front())
    A->set_directions({direction_of(r.pattern, "x"), direction_of(r.pattern, "y"), direction_of(r.pattern, "z")});
  return A;
}

template <class Space>
void restore_stencil(const NamedNumbers& values, BlockStencil<Space>& A) {
  A.upload(values.numbers("entries", A.entries()));
  const Integers& promises = values.whole("promises", 2);
  A.set_symmetric(promises[0] != 0);
  auto* banded = dynamic_cast<Banded<Space>*>(&A);
  if (!banded) return;
  banded->set_constant_null_space(promises[1] != 0);
  RemainderData R;
  R.row = converted<int>(values.whole("remainder_row"));
  R.start = converted<int>(values.whole("remainder_start"));
  R.column = converted<int>(values.whole("remainder_column"));
  R.value = values.numbers("remainder_value");
  banded->set_remainder(R);
}

template <class Space>
MatrixRecord record_separable(const SeparableOperator& op) {
  MatrixRecord r;
  r.kind = "separable";
  for (std::size_t d = 0; d < 3; ++d) add_direction(r.pattern, op.direction[d], axes[d]);
  r.values.add("coefficients", std::vector<double>{op.shift, op.scale});
  return r;
}

}  // namespace

const std::vector<double>& NamedNumbers::numbers(const std::string& name, std::int64_t size) const {
  return look_up(doubles, name, size);
}
const std::vector<std::int64_t>& NamedNumbers::whole(const std::string& name, std::int64_t size) const {
  return look_up(integers, name, size);
}

template <class Space>
std::optional<MatrixRecord> record_matrix(const Matrix<Space>& A) {
  if (const auto* csr = dynamic_cast<const BlockSparse<Space>*>(&A)) return record_csr(*csr);
  if (const auto* stencil = dynamic_cast<const BlockStencil<Space>*>(&A)) {
    const auto* banded = dynamic_cast<const Banded<Space>*>(stencil);
    MatrixRecord r = banded ? record_banded(*banded) : record_stencil(*stencil);
    r.values.add("promises", Integers{stencil->BlockStencil<Space>::is_symmetric(), A.has_constant_null_space()});
    return r;
  }
  if (const auto* separable = dynamic_cast<const SeparableStencil<Space>*>(&A))
    return record_separable<Space>(*separable->separable());
  return std::nullopt;
}

template <class Space>
std::unique_ptr<Matrix<Space>> rebuild_matrix(const MatrixRecord& r) {
  std::unique_ptr<Matrix<Space>> A;
  if (r.kind == "block_csr" || r.kind == "rounded_csr") {
    A = rebuild_csr<Space>(r.pattern, r.kind == "rounded_csr");
  } else if (r.kind == "block_stencil" || r.kind == "banded") {
    A = rebuild_stencil<Space>(r);
  } else if (r.kind == "separable") {
    SeparableOperator op;
    op.direction = {direction_of(r.pattern, "x"), direction_of(r.pattern, "y"), direction_of(r.pattern, "z")};
    A = std::make_unique<SeparableStencil<Space>>(std::move(op));
  } else {
    misfit("unknown kind '" + r.kind + "'");
  }
  restore_values(r.values, *A);
  return A;
}

template <class Space>
void restore_values(const NamedNumbers& values, Matrix<Space>& A) {
  if (auto* csr = dynamic_cast<BlockSparse<Space>*>(&A)) {
    csr->update(values.numbers("value", csr->blocks() * csr->block() * csr->block()));
  } else if (auto* stencil = dynamic_cast<BlockStencil<Space>*>(&A)) {
    restore_stencil(values, *stencil);
  } else if (auto* separable = dynamic_cast<SeparableStencil<Space>*>(&A)) {
    const std::vector<double>& c = values.numbers("coefficients", 2);
    separable->set_coefficients(c[0], c[1]);
  }
}

#define WEIR_INSTANTIATE(S)                                                   \
  template std::optional<MatrixRecord> record_matrix(const Matrix<S>&);       \
  template std::unique_ptr<Matrix<S>> rebuild_matrix<S>(const MatrixRecord&); \
  template void restore_values(const NamedNumbers&, Matrix<S>&);
WEIR_INSTANTIATE(Host)
WEIR_INSTANTIATE(Device)
#undef WEIR_INSTANTIATE

}  // namespace weir
