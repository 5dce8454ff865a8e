// PETSc and hypre want MPI, which can begin and end once in a process. Whoever comes first starts it: the distributed
// layer, where mpirun has started the program (its world then ends MPI too), or the first of these libraries.
#pragma once

namespace weir {

void begin_mpi_once();
bool mpi_is_over();

}  // namespace weir
