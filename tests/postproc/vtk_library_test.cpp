// What ParaView does with our files: VTK's own reader opens them.
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkRectilinearGrid.h>
#include <vtkXMLRectilinearGridReader.h>

#include "postproc/vtk.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

TEST(VtkLibrary, ReadsThePictureBack) {
  const testing::ScratchFolder folder;
  const std::vector<double> x{0, 0.5, 2}, y{-1, 0, 1, 3}, z{0, 1};
  const std::vector<double> velocity{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  write_rectilinear(folder / "a.vtr", {0.25, {x, y, z}, {cell_field("velocity", 3, velocity, 1)}});
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

}  // namespace
}  // namespace weir
