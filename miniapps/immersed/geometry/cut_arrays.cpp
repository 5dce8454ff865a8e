#include "miniapps/immersed/geometry/cut_arrays.hpp"

namespace weir {

template <class Space>
void CutArrays<Space>::upload(const CutFields& cut) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (cut.alpha[d].empty()) continue;
    field_.alpha[d] = alpha_[d].follow(cut.alpha[d]);
    field_.fraction[d] = fraction_[d].follow(cut.fraction[d]);
    cut_faces_[d].assign(cut.cut_faces[d]);
    if (!cut.body_of[d].empty()) field_.body_of[d] = body_of_[d].follow(cut.body_of[d]);
  }
  field_.kind.resize(cut.kind.size());
  kind_.resize(cut.kind.size());
  rows_.resize(cut.kind.size());
  entries_.resize(cut.kind.size());
  for (std::size_t c = 0; c < cut.kind.size(); ++c) {
    if (cut.kind[c].empty()) continue;
    field_.kind[c] = kind_[c].follow(cut.kind[c]);
    rows_[c].assign(cut.rows[c].row);
    entries_[c].assign(cut.rows[c].entry);
  }
  field_.wet = wet_.follow(cut.wet);
  field_.body_flux = body_flux_.follow(cut.body_flux);
  pieces_.assign(cut.surface);
}

template class CutArrays<Host>;
template class CutArrays<Device>;

}  // namespace weir
