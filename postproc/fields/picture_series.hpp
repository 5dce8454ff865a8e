// The pictures of a run: FOLDER/NAME_00000100.vtr (.vtu) for step 100, listed in FOLDER/NAME.pvd, or FOLDER/NAME.vtkhdf with
// all of them, or both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "postproc/fields/field_schedule.hpp"
#include "postproc/fields/vtk.hpp"
#include "postproc/fields/vtkhdf.hpp"

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
  std::optional<VtkhdfSeries> vtkhdf_;
};

}  // namespace weir
