// Regions of work that a profiler shows: NVTX ranges (Nsight Systems), Caliper regions, or none, as -DWEIR_REGIONS=none | nvtx |
// caliper has chosen at configure time: region_*.cpp is the one source of that choice.
#pragma once

namespace weir {

namespace region {
void begin(const char* name);
void end(const char* name);  // the one begun last
}  // namespace region

// A region within another: "pressure", "correction". Null: none.
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
