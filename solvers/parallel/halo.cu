// Packing: one index per point, its values contiguous in the message. Bytes: 16 per value, 4 per point.
#include "solvers/parallel/halo.hpp"

#include <stdexcept>

#include "base/timer.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/launch.hpp"

namespace weir {
namespace halo_kernels {

template <class Space>
void pack(const HaloFields& fields, View<const int> index, View<double> buffer) {
  const HaloFields f = fields;
  for_each<Space>(index.size(), [=] WEIR_HD(int i) {
    for (int c = 0; c < f.width; ++c) buffer[i * f.width + c] = f.first[c][index[i] * f.stride];
  });
}
template <class Space>
void unpack(const HaloFields& fields, View<const int> index, View<const double> buffer) {
  const HaloFields f = fields;
  for_each<Space>(index.size(), [=] WEIR_HD(int i) {
    for (int c = 0; c < f.width; ++c) f.first[c][index[i] * f.stride] = buffer[i * f.width + c];
  });
}

}  // namespace halo_kernels

HaloPattern make_halo_pattern(const Communicator& ranks, const std::vector<GhostRequest>& ghosts) {
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::vector<int>> wanted(size), places(size);
  for (const GhostRequest& g : ghosts) {
    wanted[g.owner].push_back(g.index);
    places[g.owner].push_back(g.place);
  }
  const std::vector<std::vector<int>> asked = ranks.exchange(wanted);
  HaloPattern p;
  p.links.send_begin = p.links.receive_begin = {0};
  for (std::size_t r = 0; r < size; ++r) {
    if (wanted[r].empty() && asked[r].empty()) continue;
    p.links.neighbour.push_back(static_cast<int>(r));
    p.send.insert(p.send.end(), asked[r].begin(), asked[r].end());
    p.receive.insert(p.receive.end(), places[r].begin(), places[r].end());
    p.links.send_begin.push_back(static_cast<int>(p.send.size()));
    p.links.receive_begin.push_back(static_cast<int>(p.receive.size()));
  }
  return p;
}

HaloFields HaloFields::blocks(const double* x, int block) {
  HaloFields f;
  if (block > most) throw std::invalid_argument("a halo supports at most 8 values per point");
  f.width = f.stride = block;
  for (int c = 0; c < block; ++c) f.first[c] = const_cast<double*>(x) + c;
  return f;
}
HaloFields& HaloFields::add(double* field) {
  if (width == most) throw std::invalid_argument("a halo supports at most 8 values per point");
  first[width++] = field;
  return *this;
}

// Page-locked on a real device, for full copy speed and one-time registration by the network.
template <class Space>
struct Halo<Space>::Pinned {
  explicit Pinned(std::int64_t room)
      : values(room),
        data(room ? static_cast<double*>(pinned_allocate(room * static_cast<std::int64_t>(sizeof(double)))) : nullptr) {
  }
  ~Pinned() {
    if (data) pinned_release(data);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  static void require(std::unique_ptr<Pinned>& memory, std::int64_t size) {
    if (!memory || memory->values < size) memory = std::make_unique<Pinned>(memory ? size + size / 4 : size);
  }
  std::int64_t values;
  double* data;
};

template <class Space>
Halo<Space>::Halo(const Communicator& ranks, const HaloPattern& pattern, int width, const HaloOptions& options) {
  connect(ranks, pattern, width, options);
}

template <class Space>
void Halo<Space>::connect(const Communicator& ranks, const HaloPattern& pattern, int width,
                          const HaloOptions& options) {
  transport_.reset();  // it refers to the buffers
  width_ = width;
  send_index_.assign(pattern.send);
  receive_index_.assign(pattern.receive);
  send_.resize(width * static_cast<std::int64_t>(pattern.send.size()));
  receive_.resize(width * static_cast<std::int64_t>(pattern.receive.size()));
  if (ranks.size() == 1) return;
  if (std::is_same_v<Space, Host>) {
    path_ = "direct: host memory";
  } else if (options.path == DevicePath::probe) {
    Array<double, Device> buffer(1024);
    const Communicator::Awareness found = ranks.probe_device_buffer(buffer.data());
    staged_ = !found.direct;
    path_ = (found.direct ? "direct: " : "staged through pinned memory: ") + found.reason;
  } else {
    staged_ = options.path == DevicePath::staged;
    path_ = staged_ ? "staged through pinned memory (requested)" : "direct (requested)";
  }
  HaloLinks links = pattern.links;
  for (auto* begin : {&links.send_begin, &links.receive_begin})
    for (int& b : *begin) b *= width;
  if (staged_) {
    Pinned::require(host_send_, send_.size());
    Pinned::require(host_receive_, receive_.size());
  }
  transport_ = ranks.transport(options.strategy, links, staged_ ? host_send_->data : send_.data(),
                               staged_ ? host_receive_->data : receive_.data());
}

template <class Space>
Halo<Space>::Halo() = default;
template <class Space>
Halo<Space>::~Halo() = default;
template <class Space>
Halo<Space>::Halo(Halo&&) noexcept = default;
template <class Space>
Halo<Space>& Halo<Space>::operator=(Halo&&) noexcept = default;

template <class Space>
void Halo<Space>::start(const HaloFields& fields) {
  if (!transport_) return;
  ScopedTimer timer(traffic_.seconds);
  if (fields.width != width_) throw std::logic_error("a halo was made for another number of fields");
  halo_kernels::pack<Space>(fields, send_index_, send_);
  if (staged_)
    backend::copy_to_host(host_send_->data, send_.data(), send_.size() * std::int64_t{sizeof(double)});
  else if (std::is_same_v<Space, Device>)
    backend::synchronise();  // MPI is not aware of streams
  transport_->start();
  traffic_.bytes += send_.size() * static_cast<std::int64_t>(sizeof(double));
  ++traffic_.calls;
}

template <class Space>
void Halo<Space>::finish() {
  if (!transport_) return;
  ScopedTimer timer(traffic_.seconds);
  transport_->finish();
  if (staged_)
    backend::copy_to_device(receive_.data(), host_receive_->data, receive_.size() * std::int64_t{sizeof(double)});
}

template <class Space>
void Halo<Space>::unpack(const HaloFields& fields) const {
  if (transport_) halo_kernels::unpack<Space>(fields, receive_index_, receive_);
}

std::string choose_device(const Communicator& ranks) {
  const int devices = backend::device_count(), here = ranks.rank_on_this_machine(),
            beside = ranks.ranks_on_this_machine(), mine = devices > 0 ? here % devices : -1;
  if (devices == 0) return "no device";
  backend::select_device(mine);
  const std::vector<std::vector<int>> to(static_cast<std::size_t>(ranks.size()), {mine});
  const std::vector<std::vector<int>> device = ranks.exchange(to);
  std::string text;
  for (std::size_t r = 0; r < device.size(); ++r)
    text += (r ? ", rank " : "rank ") + std::to_string(r) + ": device " + std::to_string(device[r].front());
  text += " of " + std::to_string(devices) + " (" + backend::device_name() + ")";
  if (beside > devices) text += "; " + std::to_string((beside + devices - 1) / devices) + " ranks share a device";
  return text;
}

template class Halo<Host>;
template class Halo<Device>;

}  // namespace weir
