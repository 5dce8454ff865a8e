#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "backend/runtime.hpp"
#include "base/error.hpp"
#include "solvers/parallel/mpi_check.hpp"

namespace weir {

namespace mpi {

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  const std::string name(call, std::strcspn(call, "("));
  throw Error(Exit::internal, name + ": " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace mpi

namespace {

constexpr int reduction_tag = 71, probe_tag = 72, message_tag = 73;

std::vector<int> offsets(std::span<const int> counts) {
  std::vector<int> begin(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), 0);
  return begin;
}

// Whether this process can read the memory, without risking a fault.
bool is_readable_here(const double* p) {
  double value = 0;
  const iovec local{&value, sizeof value}, remote{const_cast<double*>(p), sizeof value};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof value);
}

// A device-aware MPI uses the current device (by default device 0) at its initialisation and keeps it, so each rank
// selects before that the device that choose_device will give it, by its local rank from the launcher (Open MPI,
// MPICH, Slurm). If there are more ranks than devices, the others wait for choose_device, because selecting creates a
// context and the run may compute on the host.
void choose_device_before_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* text = std::getenv(name)) {
      const int here = std::atoi(text);
      if (here > 0 && here < backend::device_count()) backend::select_device(here);
      return;
    }
}

class MpiRanks : public Communicator {
 public:
  explicit MpiRanks(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm machine = MPI_COMM_NULL;
    WEIR_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine));
    MPI_Comm_rank(machine, &machine_rank_);
    MPI_Comm_size(machine, &machine_size_);
    MPI_Comm_free(&machine);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_on_this_machine() const override { return machine_size_; }
  int rank_on_this_machine() const override { return machine_rank_; }
  const void* mpi_comm() const override { return &comm_; }

  void barrier() const override { WEIR_MPI(MPI_Barrier(comm_)); }
  void broadcast(void* data, std::int64_t bytes, int from) const override {
    WEIR_MPI(MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, from, comm_));
  }

  std::vector<std::vector<int>> exchange(const std::vector<std::vector<int>>& to) const override {
    std::vector<int> send_counts, receive_counts(static_cast<std::size_t>(size_)), send;
    for (const auto& list : to) {
      send_counts.push_back(static_cast<int>(list.size()));
      send.insert(send.end(), list.begin(), list.end());
    }
    WEIR_MPI(MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, comm_));
    const std::vector<int> send_begin = offsets(send_counts), receive_begin = offsets(receive_counts);
    std::vector<int> receive(static_cast<std::size_t>(receive_begin.back() + receive_counts.back()));
    WEIR_MPI(MPI_Alltoallv(send.data(), send_counts.data(), send_begin.data(), MPI_INT, receive.data(),
                           receive_counts.data(), receive_begin.data(), MPI_INT, comm_));
    std::vector<std::vector<int>> from;
    for (std::size_t r = 0; r < to.size(); ++r)
      from.emplace_back(receive.begin() + receive_begin[r], receive.begin() + receive_begin[r] + receive_counts[r]);
    return from;
  }

  void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) const override {
    const std::vector<int> begin = offsets(counts);
    WEIR_MPI(MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), counts.data(),
                         begin.data(), MPI_DOUBLE, 0, comm_));
  }
  void scatter(std::span<const double> all, std::span<const int> counts, std::span<double> mine) const override {
    const std::vector<int> begin = offsets(counts);
    WEIR_MPI(MPI_Scatterv(all.data(), counts.data(), begin.data(), MPI_DOUBLE, mine.data(),
                          static_cast<int>(mine.size()), MPI_DOUBLE, 0, comm_));
  }
  void gather_on_all(void* all, std::span<const int> counts, std::span<const int> begin) const override {
    WEIR_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts.data(), begin.data(), MPI_BYTE, comm_));
  }

  void send(std::span<const double> values, int to) const override {
    WEIR_MPI(MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, to, message_tag, comm_));
  }
  std::vector<double> receive(int from) const override {
    MPI_Status status;
    int count = 0;
    WEIR_MPI(MPI_Probe(from, message_tag, comm_, &status));
    WEIR_MPI(MPI_Get_count(&status, MPI_DOUBLE, &count));
    std::vector<double> values(static_cast<std::size_t>(count));
    WEIR_MPI(MPI_Recv(values.data(), count, MPI_DOUBLE, from, message_tag, comm_, MPI_STATUS_IGNORE));
    return values;
  }

  std::unique_ptr<HaloTransport> transport(HaloStrategy strategy, const HaloLinks& links, const double* send,
                                           double* receive) const override {
    return mpi::make_transport(comm_, strategy, links, send, receive);
  }

  // Sends a message from the buffer to itself and compares. Device memory that the host cannot read is tried only if
  // the library declares support, because the process could crash otherwise.
  Awareness probe_device_buffer(double* buffer) const override {
    const bool readable = is_readable_here(buffer);
    const char* denied = mpi::why_not_device_memory();
    const bool may_try = readable || !*denied;
    const bool works = may_try && message_arrives(buffer);
    const bool everywhere = !any(!works);  // if one rank fails, all use the host
    if (everywhere)
      return {true, readable ? "a message between device buffers that the host can read arrived complete"
                             : "a message between device buffers arrived complete"};
    return {false, !may_try ? denied : works ? "another rank cannot" : "a message between device buffers was lost"};
  }

  void silence_others() override {
    if (is_root()) return;
    std::fflush(nullptr);
    errors_ = dup(STDERR_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }

  [[noreturn]] void abort(int exit_code, const std::string& message,
                          const std::function<void()>& last_words) const override {
    std::fflush(nullptr);
    if (!is_root()) {
      std::this_thread::sleep_for(std::chrono::seconds(1));  // if rank 0 has the same error, it ends the job first
      if (last_words) last_words();
    }
    const std::string text = "weir: rank " + std::to_string(rank_) + ": " + message + "\n";
    if (write(errors_, text.data(), text.size()) < 0) std::_Exit(exit_code);
    MPI_Abort(comm_, exit_code);
    std::_Exit(exit_code);
  }

 protected:
  MPI_Comm comm_;

  void sum_over_ranks(std::span<double> values, Reduction reduction) const override {
    switch (reduction) {
      case Reduction::gather:
        return gather_sum(values);
      case Reduction::tree:
        return tree_sum(values);
      case Reduction::allreduce:
        fill_slots(values);
        WEIR_MPI(
            MPI_Allreduce(MPI_IN_PLACE, slots_.data(), static_cast<int>(slots_.size()), MPI_DOUBLE, MPI_SUM, comm_));
        return take_sum(values);
      case Reduction::nonblocking:
        start_slots(values);
        return finish_slots(values);
    }
  }

  void add_over_ranks(std::span<std::int64_t> numbers) const override {
    WEIR_MPI(
        MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_SUM, comm_));
  }

  // Each rank's values have their own slot among zeros: MPI's additions are exact, and the order of the sum is ours.
  void start_slots(std::span<const double> values) const override {
    fill_slots(values);
    WEIR_MPI(MPI_Iallreduce(MPI_IN_PLACE, slots_.data(), static_cast<int>(slots_.size()), MPI_DOUBLE, MPI_SUM, comm_,
                            &request_));
  }
  void finish_slots(std::span<double> values) const override {
    WEIR_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    take_sum(values);
  }
  double max_over_ranks(double value) const override {
    double both[2] = {std::isnan(value) ? 1.0 : 0.0, std::isnan(value) ? 0.0 : value};
    WEIR_MPI(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, comm_));
    return both[0] > 0 ? std::nan("") : both[1];
  }

 private:
  void fill_slots(std::span<const double> values) const {
    slots_.assign(values.size() * static_cast<std::size_t>(size_), 0.0);
    std::copy(values.begin(), values.end(),
              slots_.begin() + static_cast<std::ptrdiff_t>(values.size()) * static_cast<std::ptrdiff_t>(rank_));
  }
  void take_sum(std::span<double> values) const {
    detail::add_slots(slots_, size_);
    std::copy_n(slots_.begin(), values.size(), values.begin());
  }

  // The paper's first version: each rank sends its values to all others and adds what it receives in order.
  void gather_sum(std::span<double> values) const {
    const int n = static_cast<int>(values.size());
    fill_slots(values);
    for (int shift = 1; shift < size_; ++shift) {
      const int to = (rank_ + shift) % size_, from = (rank_ - shift + size_) % size_;
      WEIR_MPI(MPI_Sendrecv(values.data(), n, MPI_DOUBLE, to, reduction_tag, slots_.data() + from * n, n, MPI_DOUBLE,
                            from, reduction_tag, comm_, MPI_STATUS_IGNORE));
    }
    take_sum(values);
  }

  // Up a binomial tree, and the result down again.
  void tree_sum(std::span<double> values) const {
    const int n = static_cast<int>(values.size());
    slots_.resize(values.size());
    int step = 1;
    for (; step < size_ && rank_ % (2 * step) == 0; step *= 2) {
      if (rank_ + step >= size_) continue;
      WEIR_MPI(MPI_Recv(slots_.data(), n, MPI_DOUBLE, rank_ + step, reduction_tag, comm_, MPI_STATUS_IGNORE));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += slots_[i];
    }
    if (rank_ > 0) {
      const int parent = rank_ - step;
      WEIR_MPI(MPI_Send(values.data(), n, MPI_DOUBLE, parent, reduction_tag, comm_));
      WEIR_MPI(MPI_Recv(values.data(), n, MPI_DOUBLE, parent, reduction_tag, comm_, MPI_STATUS_IGNORE));
    }
    for (step /= 2; step > 0; step /= 2)
      if (rank_ + step < size_) WEIR_MPI(MPI_Send(values.data(), n, MPI_DOUBLE, rank_ + step, reduction_tag, comm_));
  }

  bool message_arrives(double* buffer) const {
    constexpr int n = 512;  // from the first half of the buffer to the second
    std::vector<double> pattern(2 * n, -1.0), back(2 * n);
    for (int i = 0; i < n; ++i) pattern[i] = i + 0.5;
    backend::copy_to_device(buffer, pattern.data(), 2 * n * std::int64_t{sizeof(double)});
    backend::synchronise();
    const int status = MPI_Sendrecv(buffer, n, MPI_DOUBLE, rank_, probe_tag, buffer + n, n, MPI_DOUBLE, rank_,
                                    probe_tag, comm_, MPI_STATUS_IGNORE);
    backend::copy_to_host(back.data(), buffer, 2 * n * std::int64_t{sizeof(double)});
    return status == MPI_SUCCESS && std::equal(pattern.begin(), pattern.begin() + n, back.begin() + n);
  }

  int rank_ = 0, size_ = 1, machine_rank_ = 0, machine_size_ = 1, errors_ = STDERR_FILENO;
  mutable std::vector<double> slots_;
  mutable MPI_Request request_ = MPI_REQUEST_NULL;
};

class World : public MpiRanks {
 public:
  World() : MpiRanks(started()) {}
  ~World() override { MPI_Finalize(); }

 private:
  static MPI_Comm started() {
    choose_device_before_mpi();
    int provided = 0;
    WEIR_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    return MPI_COMM_WORLD;
  }
};

class Duplicate : public MpiRanks {
 public:
  explicit Duplicate(MPI_Comm of) : MpiRanks(duplicate(of)) {}
  ~Duplicate() override {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (!is_over) MPI_Comm_free(&comm_);
  }

 private:
  static MPI_Comm duplicate(MPI_Comm of) {
    MPI_Comm copy = MPI_COMM_NULL;
    WEIR_MPI(MPI_Comm_dup(of, &copy));
    return copy;
  }
};

}  // namespace

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);  // allowed before MPI_Init
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::unique_ptr<Communicator> make_world() {
  // Environment variables of the launchers of Open MPI, MPICH (Hydra) and Slurm. Without one MPI is not initialised,
  // which keeps the start of serial runs fast.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name)) return std::make_unique<World>();
  return std::make_unique<Communicator>();
}

namespace {
void refuse_unless_mpi_runs() {
  int is_begun = 0, is_over = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  if (!is_begun || is_over) throw Error(Exit::usage, is_over ? "MPI is finalised" : "MPI is not initialised");
}
}  // namespace

std::unique_ptr<Communicator> duplicate_communicator(const void* mpi_comm) {
  refuse_unless_mpi_runs();
  MPI_Comm comm = *static_cast<const MPI_Comm*>(mpi_comm);
  if (comm == MPI_COMM_NULL) throw Error(Exit::usage, "the communicator is MPI_COMM_NULL");
  return std::make_unique<Duplicate>(comm);
}
std::unique_ptr<Communicator> duplicate_communicator(int fortran_handle) {
  refuse_unless_mpi_runs();
  MPI_Comm comm = MPI_Comm_f2c(fortran_handle);
  return duplicate_communicator(&comm);
}

}  // namespace weir
