// Which solvers give the same bits again from the same system alone.
#pragma once
#include <string>

#include "base/table.hpp"
#include "solvers/krylov/krylov.hpp"

namespace weir {

// Why this one does not; empty for the others, which repeat exactly. options: as [linear.SYSTEM], with what holds where it
// says nothing.
inline std::string why_not_the_same(const Table& options, const std::string& default_method, double default_tolerance,
                                    const Traits& preconditioner) {
  if (!preconditioner.repeats) return "asynchronous, no two solves are alike";
  if (preconditioner.remembers) return "its factors go back to those of the systems before";
  if (read_krylov_options(options, KrylovOptions{default_tolerance}, options.get<std::string>("method", default_method))
          .recycle > 0)
    return "it learns from the solves before (recycle)";
  return "";
}

}  // namespace weir
