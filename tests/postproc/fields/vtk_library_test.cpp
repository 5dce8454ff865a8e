// VTK's own reader, which is ParaView's, opens our files.
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLRectilinearGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "postproc/fields/vtk.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::vtk_library_test {
namespace {

TEST(VtkLibrary, ReadsThePictureBack) {
  const testing::ScratchFolder folder;
  const std::vector<double> x{0, 0.5, 2}, y{-1, 0, 1, 3}, z{0, 1};
  const std::vector<double> velocity{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  write_rectilinear(folder / "a.vtr", {0.25, {x, y, z}, {output_field("velocity", 3, velocity)}});
  vtkNew<vtkXMLRectilinearGridReader> reader;
  reader->SetFileName((folder / "a.vtr").c_str());
  reader->Update();
  vtkRectilinearGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfCells(), 6);
  EXPECT_EQ(grid->GetXCoordinates()->GetComponent(1, 0), 0.5);
  EXPECT_EQ(grid->GetYCoordinates()->GetComponent(3, 0), 3);
  vtkDataArray* array = grid->GetCellData()->GetArray("velocity");
  ASSERT_NE(array, nullptr);
  ASSERT_EQ(array->GetNumberOfComponents(), 3);
  for (vtkIdType i = 0; i < 6; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(array->GetComponent(i, c), velocity[static_cast<std::size_t>(3 * i + c)]);
}

TEST(VtkLibrary, ReadsAnUnstructuredPictureBack) {
  const testing::ScratchFolder folder;
  const std::vector<std::array<double, 2>> node{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1.75, 0.1}};
  const std::vector<int> start{0, 4, 7}, corner{0, 1, 2, 3, 1, 4, 2}, line{-1, 7};
  const std::vector<double> velocity{1, 2, 0, 3, 4, 0}, temperature{1, 2, 3, 4, 5};
  write_unstructured(folder / "a.vtu",
                     {.node = node,
                      .cell_start = start,
                      .cell_node = corner,
                      .cell_fields = {output_field("velocity", 3, velocity), output_field("line", line)},
                      .node_fields = {output_field("temperature", 1, temperature)}});
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder / "a.vtu").c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfCells(), 2);
  EXPECT_EQ(grid->GetCellType(0), VTK_QUAD);
  EXPECT_EQ(grid->GetCellType(1), VTK_TRIANGLE);
  vtkNew<vtkIdList> corners;
  grid->GetCellPoints(1, corners);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(corners->GetId(k), corner[static_cast<std::size_t>(4 + k)]);
  EXPECT_EQ(grid->GetPoint(4)[0], 1.75);
  ASSERT_NE(grid->GetCellData()->GetArray("velocity"), nullptr);
  EXPECT_EQ(grid->GetCellData()->GetArray("velocity")->GetComponent(1, 1), 4);
  ASSERT_NE(grid->GetCellData()->GetArray("line"), nullptr);
  EXPECT_EQ(grid->GetCellData()->GetArray("line")->GetComponent(0, 0), -1);
  ASSERT_NE(grid->GetPointData()->GetArray("temperature"), nullptr);
  EXPECT_EQ(grid->GetPointData()->GetArray("temperature")->GetComponent(4, 0), 5);
}

}  // namespace
}  // namespace weir::vtk_library_test
