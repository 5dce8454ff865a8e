#include "solvers/matrix/matrix_record.hpp"

#include <array>

#include "base/error.hpp"
#include "solvers/matrix/visit.hpp"

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

constexpr std::pair<const char*, std::vector<double> SeparableDirection::*> arrays[] = {
    {"_mass", &SeparableDirection::mass},
    {"_lower", &SeparableDirection::lower},
    {"_upper", &SeparableDirection::upper},
    {"_boundary", &SeparableDirection::boundary}};

void add_directions(NamedNumbers& to, const std::array<SeparableDirection, 3>& directions) {
  for (int d = 0; d < 3; ++d) {
    for (const auto& [name, array] : arrays) to.add(axes[d] + std::string(name), directions[d].*array);
    to.add(axes[d] + std::string("_periodic"), Integers{directions[d].periodic});
  }
}

std::array<SeparableDirection, 3> directions_of(const NamedNumbers& from) {
  std::array<SeparableDirection, 3> directions;
  for (int d = 0; d < 3; ++d) {
    const std::string axis = axes[d];
    const auto n = static_cast<std::int64_t>(from.numbers(axis + "_mass").size());
    for (const auto& [name, array] : arrays) directions[d].*array = from.numbers(axis + name, n);
    directions[d].periodic = from.whole(axis + "_periodic", 1).front() != 0;
  }
  return directions;
}

template <class Space, class T>
std::optional<MatrixRecord> record(const CsrMatrix<Space, T>& A) {
  MatrixRecord r;
  r.kind = CsrMatrix<Space, T>::is_rounded ? "rounded_csr" : "block_csr";
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

template <class Space>
std::optional<MatrixRecord> record(const BlockStencil<Space>& A) {
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
  r.values.add("promises", Integers{A.BlockStencil<Space>::is_symmetric(), A.has_constant_null_space()});
  return r;
}

template <class Space>
std::optional<MatrixRecord> record(const Banded<Space>& A) {
  MatrixRecord r = *record(static_cast<const BlockStencil<Space>&>(A));
  r.kind = "banded";
  r.pattern.add("has_grid", Integers{A.has_grid()});
  if (A.has_grid()) add_directions(r.pattern, A.directions());
  const RemainderData R = A.remainder_on_host();
  r.values.add("remainder_row", converted<std::int64_t>(R.row));
  r.values.add("remainder_start", converted<std::int64_t>(R.start));
  r.values.add("remainder_column", converted<std::int64_t>(R.column));
  r.values.add("remainder_value", R.value);
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
  if (r.pattern.whole("has_grid", 1).front()) A->set_directions(directions_of(r.pattern));
  return A;
}

template <class Space>
void restore(const NamedNumbers& values, BlockStencil<Space>& A) {
  A.upload(values.numbers("entries", A.entries()));
  A.set_symmetric(values.whole("promises", 2)[0] != 0);
}

template <class Space>
void restore(const NamedNumbers& values, Banded<Space>& A) {
  restore(values, static_cast<BlockStencil<Space>&>(A));
  A.set_constant_null_space(values.whole("promises", 2)[1] != 0);
  RemainderData R;
  R.row = converted<int>(values.whole("remainder_row"));
  R.start = converted<int>(values.whole("remainder_start"));
  R.column = converted<int>(values.whole("remainder_column"));
  R.value = values.numbers("remainder_value");
  A.set_remainder(R);
}

template <class Space>
std::optional<MatrixRecord> record(const SeparableStencil<Space>& A) {
  const SeparableOperator& op = *A.separable();
  MatrixRecord r;
  r.kind = "separable";
  add_directions(r.pattern, op.direction);
  r.values.add("coefficients", std::vector<double>{op.shift, op.scale});
  return r;
}

template <class Space>
void restore(const NamedNumbers& values, BlockSparse<Space>& A) {
  A.update(values.numbers("value", A.blocks() * A.block() * A.block()));
}

template <class Space>
void restore(const NamedNumbers& values, SeparableStencil<Space>& A) {
  const std::vector<double>& c = values.numbers("coefficients", 2);
  A.set_coefficients(c[0], c[1]);
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
  return visit(A, Overloaded{[](const auto& kind) { return record(kind); },
                             [](const Matrix<Space>&) -> std::optional<MatrixRecord> { return std::nullopt; }});
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
    op.direction = directions_of(r.pattern);
    A = std::make_unique<SeparableStencil<Space>>(std::move(op));
  } else {
    misfit("unknown kind '" + r.kind + "'");
  }
  restore_values(r.values, *A);
  return A;
}

template <class Space>
void restore_values(const NamedNumbers& values, Matrix<Space>& A) {
  visit(A, Overloaded{[&](auto& kind) { restore(values, kind); }, [](Matrix<Space>&) {}});
}

#define WEIR_INSTANTIATE(S)                                                   \
  template std::optional<MatrixRecord> record_matrix(const Matrix<S>&);       \
  template std::unique_ptr<Matrix<S>> rebuild_matrix<S>(const MatrixRecord&); \
  template void restore_values(const NamedNumbers&, Matrix<S>&);
WEIR_INSTANTIATE(Host)
WEIR_INSTANTIATE(Device)
#undef WEIR_INSTANTIATE

}  // namespace weir
