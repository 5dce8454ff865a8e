// The arrays of a CutGeometry that kernels use, in the space of the kernels. On Host, fields of the size of the grid
// are those of the geometry itself. On Device the changes around a moving body are uploaded in every step (counted by
// the ledger). Lists never shrink.
#pragma once
#include <array>
#include <vector>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/immersed/geometry/followed_field.hpp"
#include "solvers/device/growing_array.hpp"

namespace weir {

struct RowsView {
  int rows = 0;
  const InterpolationRow* row = nullptr;
  const InterpolationEntry* entry = nullptr;
};

template <class Space>
class CutArrays {
 public:
  void upload(const CutFields& cut);  // `cut` must outlive this and keep its address

  const double* alpha(int d) const { return field_.alpha[d]; }             // padded
  const double* fraction(int d) const { return field_.fraction[d]; }       // padded
  const unsigned char* kind(int d) const { return field_.kind[d]; }        // padded
  const unsigned char* body_of(int d) const { return field_.body_of[d]; }  // padded; null: one body, or none moves
  const unsigned char* wet() const { return field_.wet; }
  const double* body_flux() const { return field_.body_flux; }
  // c: velocity component, or scalar_nodes + s for scalar s
  RowsView rows(int c) const { return {static_cast<int>(rows_[c].size()), rows_[c].data(), entries_[c].data()}; }
  const CutFace* cut_faces(int d) const { return cut_faces_[d].data(); }
  int cut_face_count(int d) const { return cut_faces_[d].size(); }
  const Piece* pieces() const { return pieces_.data(); }
  int piece_count() const { return static_cast<int>(pieces_.size()); }

 private:
  struct Fields {
    std::array<const double*, 3> alpha{}, fraction{};
    std::array<const unsigned char*, 3> body_of{};
    std::vector<const unsigned char*> kind;
    const unsigned char* wet = nullptr;
    const double* body_flux = nullptr;
  };
  Fields field_;
  std::array<FollowedField<double, Space>, 3> alpha_, fraction_;
  std::vector<FollowedField<unsigned char, Space>> kind_;
  std::array<FollowedField<unsigned char, Space>, 3> body_of_;
  FollowedField<unsigned char, Space> wet_;
  FollowedField<double, Space> body_flux_;
  std::vector<GrowingArray<InterpolationRow, Space>> rows_;
  std::vector<GrowingArray<InterpolationEntry, Space>> entries_;
  std::array<GrowingArray<CutFace, Space>, 3> cut_faces_;
  GrowingArray<Piece, Space> pieces_;
};

}  // namespace weir
