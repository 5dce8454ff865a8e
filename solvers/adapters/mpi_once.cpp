#include "solvers/adapters/mpi_once.hpp"

#include <mpi.h>

namespace weir {
namespace {

class OwnMpi {
 public:
  OwnMpi() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun) return;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    is_ours_ = true;
  }
  ~OwnMpi() {
    if (is_ours_ && !mpi_is_over()) MPI_Finalize();
  }
  OwnMpi(const OwnMpi&) = delete;
  OwnMpi& operator=(const OwnMpi&) = delete;

 private:
  bool is_ours_ = false;
};

}  // namespace

void begin_mpi_once() { static const OwnMpi mpi; }

bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

}  // namespace weir
