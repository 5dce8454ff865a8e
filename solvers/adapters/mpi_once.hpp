// PETSc and hypre need MPI, which can be initialised and finalised once per process. It is initialised by the
// distributed layer under mpirun (which then finalises it) or by the first of these libraries.
#pragma once

namespace weir {

void begin_mpi_once();
bool mpi_is_over();

}  // namespace weir
