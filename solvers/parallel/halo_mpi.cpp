// The four strategies of a halo exchange.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "solvers/parallel/mpi_check.hpp"

namespace weir::mpi {
namespace {

constexpr int halo_tag = 73;

struct Messages {
  MPI_Comm comm;
  HaloLinks links;
  const double* send;
  double* receive;

  std::size_t count() const { return links.neighbour.size(); }
  int sends(std::size_t q) const { return links.send_begin[q + 1] - links.send_begin[q]; }
  int receives(std::size_t q) const { return links.receive_begin[q + 1] - links.receive_begin[q]; }
  const double* to(std::size_t q) const { return send + links.send_begin[q]; }
  double* from(std::size_t q) const { return receive + links.receive_begin[q]; }

  void swap_with(std::size_t q) const {
    const int rank = links.neighbour[q];
    WEIR_MPI(MPI_Sendrecv(to(q), sends(q), MPI_DOUBLE, rank, halo_tag, from(q), receives(q), MPI_DOUBLE, rank, halo_tag,
                          comm, MPI_STATUS_IGNORE));
  }
};

// Each pair of ranks in turn, in one of two orders:
//   naive        neighbours by ascending rank: in a row of ranks each waits for the previous one, which makes it
//                slow, as in the paper's first version. The smallest pair (lower, higher) never waits, so there
//                is no deadlock.
//   in phases    every rank communicates with one neighbour at most: for slabs [0 1] [2 3] ... then [1 2]
//                [3 4] ...; in general a greedy edge colouring of the rank graph in an order known to all ranks
class Pairwise : public HaloTransport {
 public:
  Pairwise(Messages m, bool in_phases) : m_(std::move(m)), order_(m_.count()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (in_phases) find_phases();
  }
  void start() override {}
  void finish() override {
    for (const std::size_t q : order_) m_.swap_with(q);
  }

 private:
  void find_phases() {
    int rank = 0, size = 1;
    MPI_Comm_rank(m_.comm, &rank);
    MPI_Comm_size(m_.comm, &size);
    const int mine = static_cast<int>(m_.count());
    std::vector<int> counts(static_cast<std::size_t>(size)), begin(counts);
    WEIR_MPI(MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, m_.comm));
    for (std::size_t r = 1; r < counts.size(); ++r) begin[r] = begin[r - 1] + counts[r - 1];
    std::vector<int> all(static_cast<std::size_t>(begin.back() + counts.back()));
    WEIR_MPI(MPI_Allgatherv(m_.links.neighbour.data(), mine, MPI_INT, all.data(), counts.data(), begin.data(), MPI_INT,
                            m_.comm));
    std::vector<std::set<int>> taken(counts.size());  // phases in which a rank is busy
    std::vector<std::pair<int, std::size_t>> phase_of;
    for (int a = 0; a < size; ++a)
      for (int k = 0; k < counts[a]; ++k) {
        const int b = all[begin[a] + k];
        if (b < a) continue;
        auto &busy_a = taken[a], &busy_b = taken[b];
        int phase = 0;
        while (busy_a.contains(phase) || busy_b.contains(phase)) ++phase;
        busy_a.insert(phase);
        busy_b.insert(phase);
        if (a != rank && b != rank) continue;
        const auto at = std::ranges::find(m_.links.neighbour, a == rank ? b : a);
        phase_of.emplace_back(phase, static_cast<std::size_t>(at - m_.links.neighbour.begin()));
      }
    std::ranges::sort(phase_of);
    order_.clear();
    for (const auto& [phase, q] : phase_of) order_.push_back(q);
  }

  Messages m_;
  std::vector<std::size_t> order_;
};

// Persistent requests: all neighbours at once with known buffers.
class Persistent : public HaloTransport {
 public:
  explicit Persistent(Messages m) : m_(std::move(m)) {
    for (std::size_t q = 0; q < m_.count(); ++q) {
      const int rank = m_.links.neighbour[q];
      MPI_Request request = MPI_REQUEST_NULL;
      WEIR_MPI(MPI_Recv_init(m_.from(q), m_.receives(q), MPI_DOUBLE, rank, halo_tag, m_.comm, &request));
      requests_.push_back(request);
      WEIR_MPI(MPI_Send_init(m_.to(q), m_.sends(q), MPI_DOUBLE, rank, halo_tag, m_.comm, &request));
      requests_.push_back(request);
    }
  }
  ~Persistent() override {
    int ended = 0;
    MPI_Finalized(&ended);
    for (auto& request : requests_)
      if (!ended) MPI_Request_free(&request);
  }
  void start() override {
    if (requests_.empty()) return;  // Open MPI refuses to start none
    WEIR_MPI(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()));
  }
  void finish() override {
    WEIR_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  }

 private:
  Messages m_;
  std::vector<MPI_Request> requests_;
};

// One neighbourhood collective over the distributed graph of the ranks.
class Neighbourhood : public HaloTransport {
 public:
  explicit Neighbourhood(Messages m) : m_(std::move(m)) {
    const int n = static_cast<int>(m_.count());
    const int* ranks = m_.links.neighbour.data();
    WEIR_MPI(MPI_Dist_graph_create_adjacent(m_.comm, n, ranks, MPI_UNWEIGHTED, n, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                            0, &graph_));
    for (std::size_t q = 0; q < m_.count(); ++q) {
      sends_.push_back(m_.sends(q));
      receives_.push_back(m_.receives(q));
    }
  }
  ~Neighbourhood() override {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Comm_free(&graph_);
  }
  void start() override {
    WEIR_MPI(MPI_Ineighbor_alltoallv(m_.send, sends_.data(), m_.links.send_begin.data(), MPI_DOUBLE, m_.receive,
                                     receives_.data(), m_.links.receive_begin.data(), MPI_DOUBLE, graph_, &request_));
  }
  void finish() override { WEIR_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE)); }

 private:
  Messages m_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<int> sends_, receives_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<HaloTransport> make_transport(MPI_Comm comm, HaloStrategy strategy, const HaloLinks& links,
                                              const double* send, double* receive) {
  Messages m{comm, links, send, receive};
  switch (strategy) {
    case HaloStrategy::naive:
    case HaloStrategy::pairs:
      return std::make_unique<Pairwise>(std::move(m), strategy == HaloStrategy::pairs);
    case HaloStrategy::persistent:
      return std::make_unique<Persistent>(std::move(m));
    case HaloStrategy::neighbourhood:
      break;
  }
  return std::make_unique<Neighbourhood>(std::move(m));
}

}  // namespace weir::mpi
