// Field output as VTKHDF (docs.vtk.org, "VTKHDF file format", 2.0): one compressed HDF5 file per output time. ParaView
// from 5.12, PyVista (VTK from 9.3), h5py and any other HDF5 reader open it.
//
//   /VTKHDF                Type ImageData (grids of equal cells in each direction: Origin, Spacing, WholeExtent) or
//                          UnstructuredGrid (Points, Connectivity, Offsets, Types). Stretched grids are voxels:
//                          VTK reads RectilinearGrid only from 9.7.
//   /VTKHDF/CellData/NAME  Float32 or Int32, as in the .vtr. ImageData: [z, y, x(, component)]; UnstructuredGrid:
//                          [cell(, component)]
//   /VTKHDF/PointData/NAME fields at the nodes of an UnstructuredGrid
//   /VTKHDF/Steps          NSteps = 1, Values (the time), offsets 0
//
// A file is written under a temporary name and renamed: HDF5 changes its headers in place, so that a kill or a full
// disk would cost a file that holds several times all of them.
#pragma once
#include <string>

#include "postproc/fields/vtk.hpp"

namespace weir {

bool vtkhdf_available();  // false in a build without HDF5 (vtkhdf_none.cpp)

// Throw Error(Exit::file_io) with path and reason.
void write_vtkhdf(const std::string& path, const Picture& picture);
void write_vtkhdf(const std::string& path, const MeshPicture& picture);

}  // namespace weir
