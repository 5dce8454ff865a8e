// Exchange of values at points owned by other ranks.
//   HaloPattern pattern = make_halo_pattern(ranks, requests);     once
//   Halo<Space> halo(ranks, pattern, width, options);             once per number of values per point
//   halo.start(fields);  ... work that needs no ghost ...  halo.finish();  halo.unpack(fields) or halo.ghosts()
// One message per neighbour and exchange for any number of fields. Values are moved, never added: all strategies give
// the same bits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/growing_array.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Local indices of owned points by neighbour, and positions of ghosts by neighbour in the order of the requests.
struct HaloPattern {
  HaloLinks links;
  std::vector<int> send;     // owned points
  std::vector<int> receive;  // positions of ghosts
  bool empty() const { return links.neighbour.empty(); }
};

// A ghost of this rank: its position here, its owner, and its index there.
struct GhostRequest {
  int place, owner, index;
  bool operator==(const GhostRequest&) const = default;
};
// Collective. Ghosts are ordered by owner, then as requested.
HaloPattern make_halo_pattern(const Communicator& ranks, const std::vector<GhostRequest>& ghosts);

// Path of device memory; probe: decided by a test message between device buffers.
enum class DevicePath { probe, staged, direct };

struct HaloOptions {
  HaloStrategy strategy = HaloStrategy::persistent;
  DevicePath path = DevicePath::probe;
};

// Up to eight values per point: value f of point i is first[f][i * stride]. Vector of blocks of B: first[f] = x + f,
// stride = B; separate fields: stride 1.
struct HaloFields {
  static constexpr int most = 8;
  double* first[most] = {};
  int width = 0, stride = 1;

  static HaloFields blocks(const double* x, int block);
  HaloFields& add(double* field);
};

template <class Space>
class Halo {
 public:
  Halo();  // for one rank: does nothing
  Halo(const Communicator& ranks, const HaloPattern& pattern, int width, const HaloOptions& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  // Sets another pattern and reuses the buffers if large enough; traffic counts continue. Collective.
  void connect(const Communicator& ranks, const HaloPattern& pattern, int width, const HaloOptions& options = {});
  bool empty() const { return !transport_; }
  void start(const HaloFields& fields);
  void finish();
  void unpack(const HaloFields& fields) const;
  void exchange(const HaloFields& fields) {  // start and finish
    start(fields);
    finish();
    unpack(fields);
  }
  // Value f of the ghost with number g (in the pattern's order): ghosts()[g * width + f].
  View<const double> ghosts() const { return receive_; }
  const Traffic& traffic() const { return traffic_; }  // bytes sent; seconds spent packing and waiting
  const std::string& path() const { return path_; }    // "staged through pinned memory: ..." | "direct: ..."
  // The options with the result of the probe, for further halos.
  HaloOptions found(HaloOptions options) const {
    if (options.path == DevicePath::probe) options.path = staged_ ? DevicePath::staged : DevicePath::direct;
    return options;
  }

 private:
  struct Pinned;
  int width_ = 0;
  bool staged_ = false;
  std::string path_;
  GrowingArray<int, Space> send_index_, receive_index_;
  GrowingArray<double, Space> send_, receive_;
  std::unique_ptr<Pinned> host_send_, host_receive_;
  std::unique_ptr<HaloTransport> transport_;
  Traffic traffic_;
};

// Assigns devices by the local rank, one per rank if there are enough. Collective. Returns a line for the log: "rank
// 0: device 0, rank 1: device 0 of 1 (...); 2 ranks share a device".
std::string choose_device(const Communicator& ranks);

}  // namespace weir
