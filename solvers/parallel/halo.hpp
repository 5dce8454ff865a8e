// What a rank needs of the others before it can apply an operator: values at points that other ranks own.
//   HaloPattern pattern = make_halo_pattern(ranks, requests);     once
//   Halo<Space> halo(ranks, pattern, width, options);             buffers and requests, once a number of values a point
//   halo.start(fields);  ... work that needs no ghost ...  halo.finish();  halo.unpack(fields) or halo.ghosts()
// A message a neighbour and exchange, whatever the number of fields. Values are moved, never added: all strategies give
// the same bits.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/growing_array.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// Which points go where: local indices of owned points, by neighbour; and where ghosts come to lie, by neighbour in the
// order in which they were asked for.
struct HaloPattern {
  HaloLinks links;
  std::vector<int> send;     // owned points
  std::vector<int> receive;  // places of ghosts
  bool empty() const { return links.neighbour.empty(); }
};

// A ghost of this rank: its place here, its owner, and the point's index there.
struct GhostRequest {
  int place, owner, index;
  bool operator==(const GhostRequest&) const = default;
};
// All ranks call. Ghosts are ordered by owner, then as they stand.
HaloPattern make_halo_pattern(const Communicator& ranks, const std::vector<GhostRequest>& ghosts);

// How device memory travels: decided by a message between device buffers, never assumed.
enum class DevicePath { probe, staged, direct };

struct HaloOptions {
  HaloStrategy strategy = HaloStrategy::persistent;
  DevicePath path = DevicePath::probe;
};

// Up to eight values a point: value f of point i lies at first[f][i * stride]. A vector of blocks of B: first[f] = x + f,
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
  Halo();  // of one rank: nothing happens
  Halo(const Communicator& ranks, const HaloPattern& pattern, int width, const HaloOptions& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  // Another pattern, in the memory there is where it is enough. What has travelled so far stays counted. All ranks call.
  void connect(const Communicator& ranks, const HaloPattern& pattern, int width, const HaloOptions& options = {});
  bool empty() const { return !transport_; }
  void start(const HaloFields& fields);
  void finish();
  void unpack(const HaloFields& fields) const;
  void exchange(const HaloFields& fields) {  // all of it
    start(fields);
    finish();
    unpack(fields);
  }
  // Value f of the ghost with number g (in the pattern's order): ghosts()[g * width + f].
  View<const double> ghosts() const { return receive_; }
  const Traffic& traffic() const { return traffic_; }  // bytes sent; seconds spent packing and waiting
  const std::string& path() const { return path_; }    // "staged through pinned memory: ..." | "direct: ..."
  // The options with what the probe has found, for the next halo.
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

// One device a rank where there are enough: by the number of the rank on its machine. All ranks call; returns a line for
// the log: "rank 0: device 0, rank 1: device 0 of 1 (...); 2 ranks share a device".
std::string choose_device(const Communicator& ranks);

}  // namespace weir
