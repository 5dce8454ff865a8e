// The ranks of a job and their communication. The base class is a single rank without messages. make_world() gives
// the ranks of `mpirun`. communicator_mpi.cpp and halo_mpi.cpp are the only files that use MPI;
// communicator_single.cpp replaces both in builds without it.
//
// Sums over ranks use a fixed pairwise order, (0+1)+(2+3), ..., for every strategy: all ranks and all strategies get
// the same bits, and runs are reproducible. A different number of ranks adds in a different order, except in exact sums
// (exact_sum.hpp), which have the same bits for any number of ranks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/device/chunked_reduce.hpp"
#include "solvers/parallel/exact_sum.hpp"

namespace weir {

// Algorithm of a sum. Liu, Seo & Mittal 2013, sec. III-C: "gather" is their first version (every rank sends to every
// other one, P (P - 1) messages), "tree" their second (up and down a binomial tree, 2 (P - 1) messages).
enum class Reduction { gather, tree, allreduce, nonblocking };
const char* to_string(Reduction reduction);
inline constexpr Reduction all_reductions[] = {Reduction::gather, Reduction::tree, Reduction::allreduce,
                                               Reduction::nonblocking};

// Algorithm of the halo exchange ([ranks] halo); all give the same bits.
enum class HaloStrategy { naive, pairs, persistent, neighbourhood };
const char* to_string(HaloStrategy strategy);
inline constexpr HaloStrategy all_halo_strategies[] = {HaloStrategy::naive, HaloStrategy::pairs,
                                                       HaloStrategy::persistent, HaloStrategy::neighbourhood};

// The messages of one rank: elements [begin[q], begin[q+1]) of a buffer go to, or come from, neighbour q.
struct HaloLinks {
  std::vector<int> neighbour;  // ranks, ascending
  std::vector<int> send_begin, receive_begin;
};

// Transfers the send buffer to the neighbours' receive buffers. The buffers are fixed for the lifetime of the object,
// so that persistent requests are possible.
class HaloTransport {
 public:
  virtual ~HaloTransport() = default;
  virtual void start() = 0;   // the send buffer is full
  virtual void finish() = 0;  // the receive buffer is full, the send buffer free again
};

// Messages of this rank since its communicator was made.
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
  virtual const void* mpi_comm() const { return nullptr; }  // address of the MPI_Comm, for other libraries; null: none

  // In place, over all ranks. Collective, with the same number of values on all ranks.
  void sum(std::span<double> values) const;
  double sum(double value) const;
  Pair sum(Pair pair) const;
  double max(double value) const;  // NaN if any rank has NaN
  void sum(std::span<ExactSum> sums) const;
  double sum(ExactSum share) const;  // rounded
  bool any(bool mine) const { return size() > 1 ? max(mine ? 1 : 0) > 0 : mine; }

  // A non-blocking sum. At most one at a time.
  void start_sum(std::span<const double> values) const;
  void finish_sum(std::span<double> values) const;

  void use(Reduction reduction) { reduction_ = reduction; }
  Reduction reduction() const { return reduction_; }
  // [ranks] exact_sums: sums over cells that influence a result are exact on the host, and products of matrices are
  // those of one rank where a matrix can do that. Without it, sums are faster.
  void use_exact_sums(bool exact) { has_exact_sums_ = exact; }
  bool has_exact_sums() const { return has_exact_sums_; }
  const Traffic& reductions() const { return traffic_; }  // of all sums so far

  virtual void barrier() const {}
  virtual void broadcast(void*, std::int64_t /*bytes*/, int /*from*/) const {}
  // Sends to[r] to rank r; returns what each rank has sent here.
  virtual std::vector<std::vector<int>> exchange(const std::vector<std::vector<int>>& to) const { return to; }
  // The values of all ranks in order on rank 0; empty on other ranks. counts[r]: number of values of rank r.
  virtual void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) const;
  virtual void scatter(std::span<const double> all, std::span<const int> counts, std::span<double> mine) const;
  // In place, on all ranks: rank r has set counts[r] bytes from byte begin[r] of `all` on.
  virtual void gather_on_all(void* /*all*/, std::span<const int> /*counts*/, std::span<const int> /*begin*/) const {}

  // A message to another rank, and the next one from it.
  virtual void send(std::span<const double>, int /*to*/) const {}
  virtual std::vector<double> receive(int /*from*/) const { return {}; }

  virtual std::unique_ptr<HaloTransport> transport(HaloStrategy strategy, const HaloLinks& links, const double* send,
                                                   double* receive) const;

  // Whether messages can use this device memory (at least 1024 values) directly, found by trying, and the reason.
  struct Awareness {
    bool direct = false;
    std::string reason;
  };
  virtual Awareness probe_device_buffer(double* buffer) const;

  // Drops the output of ranks other than 0 from now on, except that of abort().
  virtual void silence_others() {}
  // Ends the job on all ranks because of an error on this rank. If all ranks have it, as with an error in a case
  // file, only rank 0 prints it. last_words: called on a rank other than 0 that alone has the error.
  [[noreturn]] virtual void abort(int exit_code, const std::string& message,
                                  const std::function<void()>& last_words = {}) const;

 protected:
  virtual void sum_over_ranks(std::span<double>, Reduction) const {}
  virtual void add_over_ranks(std::span<std::int64_t>) const {}
  virtual void start_slots(std::span<const double>) const {}
  virtual void finish_slots(std::span<double>) const {}
  virtual double max_over_ranks(double value) const { return value; }

 private:
  Reduction reduction_ = Reduction::allreduce;
  bool has_exact_sums_ = false;
  mutable Traffic traffic_;
  mutable std::vector<double> pending_;
};

// The ranks this program was started with; a single rank without MPI if not started by mpirun or srun. Once per
// process; the destructor finalises MPI.
std::unique_ptr<Communicator> make_world();
// A duplicate of a communicator of the calling program, which has initialised MPI: the address of an MPI_Comm, or the
// integer of Fortran. Construction and destruction are collective; the original may be freed at once.
std::unique_ptr<Communicator> duplicate_communicator(const void* mpi_comm);
std::unique_ptr<Communicator> duplicate_communicator(int fortran_handle);
std::string mpi_library();  // "Open MPI v4.1.4"; empty in a build without MPI

namespace detail {
// slots: `count` values of rank 0, then of rank 1, ...; adds them in the fixed order into the first `count` elements.
void add_slots(std::span<double> slots, int ranks);
}  // namespace detail

}  // namespace weir
