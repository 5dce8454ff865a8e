#include "miniapps/immersed/geometry/cut_arrays.hpp"

#include <type_traits>

namespace weir {

namespace {

template <class T>
const T* in_space(Array<T, Host>&, const std::vector<T>& values) {
  return values.data();
}
template <class T>
const T* in_space(Array<T, Device>& array, const std::vector<T>& values) {
  array.upload(values);
  return array.data();
}

}  // namespace

template <class Space>
CutArrays<Space>::CutArrays(const Layout& l) {
  if (std::is_same_v<Space, Host>) return;
  wet_ = Array<unsigned char, Space>(l.cells().count());
  body_flux_ = Array<double, Space>(l.cells().count());
  for (int d = 0; d < l.dim; ++d) {
    alpha_[d] = Array<double, Space>(l.padded_count());
    fraction_[d] = Array<double, Space>(l.padded_count());
  }
}

template <class Space>
void CutArrays<Space>::upload(const CutFields& cut) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (cut.alpha[d].empty()) continue;
    field_.alpha[d] = in_space(alpha_[d], cut.alpha[d]);
    field_.fraction[d] = in_space(fraction_[d], cut.fraction[d]);
    cut_faces_[d].assign(cut.cut_faces[d]);
  }
  field_.kind.resize(cut.kind.size());
  kind_.resize(cut.kind.size());
  rows_.resize(cut.kind.size());
  entries_.resize(cut.kind.size());
  for (std::size_t c = 0; c < cut.kind.size(); ++c) {
    if (cut.kind[c].empty()) continue;
    if (std::is_same_v<Space, Device> && kind_[c].size() == 0)
      kind_[c] = Array<unsigned char, Space>(static_cast<std::int64_t>(cut.kind[c].size()));
    field_.kind[c] = in_space(kind_[c], cut.kind[c]);
    rows_[c].assign(cut.rows[c].row);
    entries_[c].assign(cut.rows[c].entry);
  }
  field_.wet = in_space(wet_, cut.wet);
  field_.body_flux = in_space(body_flux_, cut.body_flux);
  pieces_.assign(cut.surface);
}

template class CutArrays<Host>;
template class CutArrays<Device>;

}  // namespace weir
