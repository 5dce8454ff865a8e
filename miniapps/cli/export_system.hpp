// Systems of files and capsules as block rows; a capsule's in words, and in the formats of others.
#pragma once
#include <string>
#include <vector>

#include "miniapps/study/capture/capsule.hpp"
#include "solvers/matrix/io/matrix_market.hpp"

namespace weir {

// format "mtx": NAME.mtx, NAME_b.mtx, NAME_x0.mtx; "petsc": NAME.petsc with A, b and x0 one after the other; "hypre":
// ls_00000/IJ.out.A, .b and .x0, counted on. Into `folder`, with what names the sequence to Ginkgo's benchmarks
// (ginkgo.json, of mtx) or to hypredrive (hypredrive.yml), both to be read there; or beside the captured systems where that
// is empty. Prints what was written.
void export_capsules(const std::vector<std::string>& paths, const std::string& format, const std::string& folder);

// "pressure_00000007_0: pressure of cavity (incompressible), step 7, solve 0, 144 unknowns ...; captured by 'every:7'"
std::string origin_of(const Capsule& capsule);
// "cg + jacobi, 1e-06 relative to |b| in the l2 norm: 36 iterations, converged"
std::string reference_text(const Capsule& capsule);

// name: of a file, a capsule or a generated system. block: 0: detected (1 where generated).
BlockCsrData read_system(const std::string& name, int block, MarketFaults* faults = nullptr);
// The matrix of a capsule as block rows.
BlockCsrData rows_of(const Capsule& capsule);

}  // namespace weir
