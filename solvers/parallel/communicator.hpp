// The ranks of one job, and what they tell each other. The base class is one rank alone: every call is then free of
// messages. make_world() gives the ranks of `mpirun`; communicator_mpi.cpp and halo_mpi.cpp are the only files that know
// MPI, communicator_single.cpp stands in for both where Weir is built without it.
//
// Sums over ranks are taken in one fixed order, whatever the way the numbers travel: pairwise over the ranks,
// (0+1)+(2+3), ... . Every rank gets the same bits, every strategy gives the same bits, and a run repeats; another
// number of ranks adds in another order.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/device/chunked_reduce.hpp"

namespace weir {

// How a sum travels. Liu, Seo & Mittal 2013, sec. III-C: "gather" is their first version (every rank sends to every
// other one, P (P - 1) messages), "tree" their second (up and down a binomial tree, 2 (P - 1) messages).
enum class Reduction { gather, tree, allreduce, nonblocking };
const char* to_string(Reduction reduction);
inline constexpr Reduction all_reductions[] = {Reduction::gather, Reduction::tree, Reduction::allreduce,
                                               Reduction::nonblocking};

// How the messages of a halo exchange travel: `halo` of [parallel]; the same bits by all.
enum class HaloStrategy { naive, pairs, persistent, neighbourhood };
const char* to_string(HaloStrategy strategy);
inline constexpr HaloStrategy all_halo_strategies[] = {HaloStrategy::naive, HaloStrategy::pairs,
                                                       HaloStrategy::persistent, HaloStrategy::neighbourhood};

// The messages of one rank: what lies in [begin[q], begin[q+1]) of a buffer goes to, or comes from, neighbour q.
struct HaloLinks {
  std::vector<int> neighbour;  // ranks, ascending
  std::vector<int> send_begin, receive_begin;
};

// Moves the send buffer into the neighbours' receive buffers. The buffers are fixed for the life of the object, so that
// requests may be made once.
class HaloTransport {
 public:
  virtual ~HaloTransport() = default;
  virtual void start() = 0;   // the send buffer is full
  virtual void finish() = 0;  // the receive buffer is full, the send buffer free again
};

// Of this rank, since its communicator was made.
struct Traffic {
  double seconds = 0;
  std::int64_t bytes = 0, calls = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool is_root() const { return rank() == 0; }
  virtual int ranks_on_this_machine() const { return 1; }
  virtual int rank_on_this_machine() const { return 0; }

  // In place, over all ranks. All ranks must call, in the same order and with as many values.
  void sum(std::span<double> values) const;
  double sum(double value) const;
  Pair sum(Pair pair) const;
  double max(double value) const;  // not-a-number where any rank has one
  bool any(bool mine) const { return size() > 1 ? max(mine ? 1 : 0) > 0 : mine; }

  // A sum with work in between. At most one at a time.
  void start_sum(std::span<const double> values) const;
  void finish_sum(std::span<double> values) const;

  void use(Reduction reduction) { reduction_ = reduction; }
  Reduction reduction() const { return reduction_; }
  const Traffic& reductions() const { return traffic_; }  // of all sums so far

  virtual void barrier() const {}
  virtual void broadcast(void*, std::int64_t /*bytes*/, int /*from*/) const {}
  // to[r] goes to rank r; returns what each rank has sent here.
  virtual std::vector<std::vector<int>> exchange(const std::vector<std::vector<int>>& to) const { return to; }
  // The values of all ranks one after the other, on rank 0; empty on the others. counts[r]: of rank r.
  virtual void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) const;
  virtual void scatter(std::span<const double> all, std::span<const int> counts, std::span<double> mine) const;

  virtual std::unique_ptr<HaloTransport> transport(HaloStrategy strategy, const HaloLinks& links, const double* send,
                                                   double* receive) const;

  // Whether messages may be sent from and received into this memory of a device, of at least 1024 values, found by
  // doing it, and why.
  struct Awareness {
    bool direct = false;
    std::string reason;
  };
  virtual Awareness probe_device_buffer(double* buffer) const;

  // What ranks other than 0 print is dropped from here on: they would say the same. abort() still speaks for them.
  virtual void silence_others() {}
  // Ends the job on all ranks, with an error that this rank may be the only one to have seen. Where all have, as with a
  // mistake in a case file, rank 0 alone tells. last_words: called on a rank other than 0 that has met it alone.
  [[noreturn]] virtual void abort(int exit_code, const std::string& message,
                                  const std::function<void()>& last_words = {}) const;

 protected:
  virtual void sum_over_ranks(std::span<double>, Reduction) const {}
  virtual void start_slots(std::span<const double>) const {}
  virtual void finish_slots(std::span<double>) const {}
  virtual double max_over_ranks(double value) const { return value; }

 private:
  Reduction reduction_ = Reduction::allreduce;
  mutable Traffic traffic_;
  mutable std::vector<double> pending_;
};

// The ranks this program was started with: one, without a trace of MPI, where it was not started by mpirun (or srun).
// Once a process; the object ends MPI when it goes.
std::unique_ptr<Communicator> make_world();
std::string mpi_library();  // "Open MPI v4.1.4"; empty in a build without MPI

namespace detail {
// slots: `count` values of rank 0, then of rank 1, ...: their sums in the fixed order, in the first `count` places.
void add_slots(std::span<double> slots, int ranks);
}  // namespace detail

}  // namespace weir
