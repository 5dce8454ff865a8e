// The .vtr with the VTK library: appended raw data, not compressed (flow fields in Float32 shrink by a tenth, at ten
// times the time to write).
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkRectilinearGrid.h>
#include <vtkVersion.h>
#include <vtkXMLRectilinearGridWriter.h>

#include <cerrno>
#include <vector>

#include "postproc/vtk.hpp"
#include "postproc/write_aside.hpp"

namespace weir {
namespace {

// VTK prints its errors unless somebody listens; the reason is in the writer's error code.
class Listener : public vtkCommand {
 public:
  static Listener* New() { return new Listener; }
  void Execute(vtkObject*, unsigned long, void*) override {}
};

vtkSmartPointer<vtkDoubleArray> coordinates(const char* name, std::span<const double> faces) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name);
  array->SetNumberOfValues(static_cast<vtkIdType>(faces.size()));
  std::copy(faces.begin(), faces.end(), array->GetPointer(0));
  return array;
}

vtkSmartPointer<vtkFloatArray> cell_array(const Picture& picture, const CellField& field) {
  const std::size_t slab_size = static_cast<std::size_t>(picture.cells(0)) *
                                static_cast<std::size_t>(picture.cells(1)) * static_cast<std::size_t>(field.components);
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetName(field.name.c_str());
  array->SetNumberOfComponents(field.components);
  array->SetNumberOfValues(static_cast<vtkIdType>(slab_size) * picture.cells(2));
  std::vector<double> slab(slab_size);
  float* out = array->GetPointer(0);
  for (int k = 0; k < picture.cells(2); ++k) {
    field.fill(k, slab);
    for (const double value : slab) *out++ = static_cast<float>(value);
  }
  return array;
}

}  // namespace

std::string vtk_writer_version() { return std::string("VTK ") + vtkVersion::GetVTKVersion(); }

void write_rectilinear(const std::string& path, const Picture& picture) {
  vtkNew<vtkRectilinearGrid> grid;
  grid->SetDimensions(picture.cells(0) + 1, picture.cells(1) + 1, picture.cells(2) + 1);
  grid->SetXCoordinates(coordinates("x", picture.faces[0]));
  grid->SetYCoordinates(coordinates("y", picture.faces[1]));
  grid->SetZCoordinates(coordinates("z", picture.faces[2]));
  grid->GetFieldData()->AddArray(coordinates("TimeValue", {&picture.time, 1}));
  for (const CellField& field : picture.fields) grid->GetCellData()->AddArray(cell_array(picture, field));

  write_aside(path, [&](const std::string& temporary) {
    vtkNew<vtkXMLRectilinearGridWriter> writer;
    vtkNew<Listener> listener;
    writer->AddObserver(vtkCommand::ErrorEvent, listener);
    writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, listener);
    writer->SetFileName(temporary.c_str());
    writer->SetInputData(grid);
    writer->SetHeaderTypeToUInt64();  // a field may be larger than 4 GiB
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    writer->SetCompressorTypeToNone();
    errno = 0;
    const bool written = writer->Write() == 1 && writer->GetErrorCode() == vtkErrorCode::NoError;
    if (written) return;
    const unsigned long code = writer->GetErrorCode();  // below FirstVTKErrorCode it is an errno
    const bool no_space = code == vtkErrorCode::OutOfDiskSpaceError;
    fail_to_write(path, no_space                                         ? ENOSPC
                        : code && code < vtkErrorCode::FirstVTKErrorCode ? static_cast<int>(code)
                                                                         : errno);
  });
}

}  // namespace weir
