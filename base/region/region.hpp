// Regions for profilers, chosen at configure time by -DWEIR_REGIONS (one of region_*.cpp):
// none     no regions
// nvtx     NVTX ranges (Nsight Systems)
// caliper  Caliper regions
#pragma once

namespace weir {

namespace region {
void begin(const char* name);
void end(const char* name);  // ends the innermost region
}  // namespace region

// A region with an optional inner region: "pressure", "correction". Null: none.
class Region {
 public:
  Region(const char* outer, const char* inner) : outer_(outer), inner_(inner) {
    if (outer_) region::begin(outer_);
    if (inner_) region::begin(inner_);
  }
  ~Region() {
    if (inner_) region::end(inner_);
    if (outer_) region::end(outer_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char *outer_, *inner_;
};

}  // namespace weir
