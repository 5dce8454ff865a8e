// The coupled scheme's flow of all ranks in one place. All ranks call.
#pragma once
#include "miniapps/artificial_compressibility/diagnostics.hpp"
#include "miniapps/artificial_compressibility/scheme.hpp"
#include "miniapps/structured/whole_fields.hpp"

namespace weir {

template <class Space>
class WholeCoupled : public WholeArrays<Space> {
 public:
  using WholeArrays<Space>::WholeArrays;

  // The whole flow in host memory on rank 0; nothing of use on the others.
  const Flow<Host>& of(ArtificialCompressibility<Space>& flow) {
    const Grid& grid = flow.flow_case().grid;
    const double speed = flow.options().speed;
    const std::vector<double> x = this->gather_.gathered("x", flow.field().values().to_vector()),
                              b = this->gather_.gathered("b", flow.minus_residual_on_host());
    return this->is_root_ ? copy_.of(flow.ranks().whole(), x, b, grid, speed) : nothing_;
  }

 private:
  CoupledCopy copy_;
  Flow<Host> nothing_{Layout{}};
};

}  // namespace weir
