// Recording by capture, in a stream that waits for no other: nothing runs in it.
#include "solvers/device/cuda/backend/graph.hpp"

#include "solvers/device/cuda/backend/launch.hpp"
#include "solvers/device/cuda/backend/reduction.hpp"
#include "solvers/device/ledger.hpp"

namespace weir::backend {
namespace {

// Each thread records in a stream of its own.
struct CaptureStream {
  cudaStream_t stream = nullptr;
  CaptureStream() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream to record in"); }
  ~CaptureStream() { cudaStreamDestroy(stream); }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;
};
cudaStream_t capture_stream() {
  static thread_local const CaptureStream of_this_thread;
  return of_this_thread.stream;
}

}  // namespace

bool Graph::is_recording() { return launch_stream != nullptr; }

void Graph::begin() {
  forget();
  reduction_partials();  // nothing is allocated in a recording
  reduction_arrivals();
  check(cudaStreamBeginCapture(capture_stream(), cudaStreamCaptureModeThreadLocal), "recording a graph");
  launch_stream = capture_stream();
  launches_before_ = ledger().launches;
}

void Graph::end() {
  launch_stream = nullptr;
  size_ = ledger().launches - launches_before_;
  ledger().launches = launches_before_;
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(capture_stream(), &graph), "recording a graph");
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "making a graph");
}

void Graph::abandon() noexcept {
  if (!is_recording()) return;
  launch_stream = nullptr;
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(capture_stream(), &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void Graph::forget() noexcept {
  if (graph_) cudaGraphExecDestroy(graph_);  // CUDA keeps it until a run of it has ended
  graph_ = nullptr;
}

void Graph::launch() const {
  check(cudaGraphLaunch(graph_, nullptr), "a graph");
  ++ledger().launches;
}

}  // namespace weir::backend
