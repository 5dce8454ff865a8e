#include "postproc/fields/picture_series.hpp"

#include <fmt/format.h>

#include "postproc/fields/vtkhdf.hpp"

namespace weir {
namespace {

void write_xml(const std::string& path, const Picture& picture) { write_rectilinear(path, picture); }
void write_xml(const std::string& path, const MeshPicture& picture) { write_unstructured(path, picture); }

}  // namespace

PictureSeries::PictureSeries(const std::string& folder, const std::string& name, std::optional<double> restart_time,
                             FieldFormat format)
    : folder_(folder), name_(name), has_vtkhdf_(format != FieldFormat::xml) {
  if (format != FieldFormat::vtkhdf) pvd_.emplace(folder + "/" + name + ".pvd", restart_time);
}

template <class AnyPicture>
void PictureSeries::write_all(std::int64_t step, const AnyPicture& picture, const char* ending) {
  if (pvd_) {  // the picture first: the .pvd never names a file that is not there
    const std::string file = fmt::format("{}_{:08}.{}", name_, step, ending);
    write_xml(folder_ + "/" + file, picture);
    pvd_->add(picture.time, file);
  }
  if (has_vtkhdf_) write_vtkhdf(fmt::format("{}/{}_{:08}.vtkhdf", folder_, name_, step), picture);
}

void PictureSeries::write(std::int64_t step, const Picture& picture) { write_all(step, picture, "vtr"); }
void PictureSeries::write(std::int64_t step, const MeshPicture& picture) { write_all(step, picture, "vtu"); }

}  // namespace weir
