#include "miniapps/study/select/auto_candidates.hpp"

#include "solvers/registry.hpp"

namespace weir {
namespace {

constexpr unsigned on_blocks = on_block_stencil | on_block_csr;

constexpr AutoCandidate all[] = {
    {"fast_poisson", on_stencil, "method = \"fast_poisson\""},
    {"cg+multigrid", on_stencil | on_banded, "method = \"cg\"\npreconditioner = { type = \"multigrid\" }"},
    {"cg+jacobi", on_stencil, "method = \"cg\"\npreconditioner = { type = \"jacobi\" }"},
    {"chebyshev", on_stencil, "method = \"chebyshev\""},
    {"cg+block_ilu0", on_banded, "method = \"cg\"\npreconditioner = { type = \"block_ilu0\" }"},
    {"bicgstab+jacobi", on_banded, "method = \"bicgstab\"\npreconditioner = { type = \"jacobi\" }"},
    {"bicgstab+block_ilu0", on_banded | on_blocks, "method = \"bicgstab\"\npreconditioner = { type = \"block_ilu0\" }"},
    {"gmres+block_ilu0", on_blocks, "method = \"gmres\"\npreconditioner = { type = \"block_ilu0\" }"},
    {"bicgstab_l+block_ilu0", on_blocks, "method = \"bicgstab_l\"\npreconditioner = { type = \"block_ilu0\" }"},
    {"gmres+sgs", on_block_stencil, "method = \"gmres\"\npreconditioner = { type = \"sgs\" }"},
    {"gmres+multicolor", on_block_csr, "method = \"gmres\"\npreconditioner = { type = \"multicolor\" }"},
    {"fgmres+aggregation", on_block_csr, "method = \"fgmres\"\npreconditioner = { type = \"aggregation\" }"}};

}  // namespace

std::span<const AutoCandidate> auto_candidates() { return all; }

std::string automatic_system(const LabCase& c) {
  std::string found;
  const Table linear = c.config.table("linear");
  for (const std::string& system : c.systems) {
    const Table t = linear.table(system);
    if (!t.has("method") || t.get<std::string>("method", "") != "auto" || system == found) continue;
    if (!found.empty()) t.fail("method", "only one system can have method = \"auto\"; [linear." + found + "] has it");
    found = system;
  }
  return found;
}

}  // namespace weir
