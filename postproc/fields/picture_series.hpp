// The field output of a run: FOLDER/NAME_00000100.vtr (.vtu) of step 100, listed in FOLDER/NAME.pvd, or
// FOLDER/NAME_00000100.vtkhdf, or both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "postproc/fields/field_schedule.hpp"
#include "postproc/fields/vtk.hpp"

namespace weir {

class PictureSeries {
 public:
  PictureSeries(const std::string& folder, const std::string& name, std::optional<double> restart_time = {},
                FieldFormat format = FieldFormat::xml);
  void write(std::int64_t step, const Picture& picture);
  void write(std::int64_t step, const MeshPicture& picture);
  const PvdCollection& collection() const { return *pvd_; }

 private:
  template <class AnyPicture>
  void write_all(std::int64_t step, const AnyPicture& picture, const char* ending);

  std::string folder_, name_;
  std::optional<PvdCollection> pvd_;
  bool has_vtkhdf_;
};

}  // namespace weir
