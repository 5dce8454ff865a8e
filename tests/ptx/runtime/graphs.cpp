// Graphs by the capture of one stream: its launches and fills, in a line. Construction of a graph by hand
// (nodes, edges, updates) is not known here.
#include "tests/ptx/runtime/runtime.hpp"

namespace weir::ptx {
namespace {

// A program may let go of an executable graph that still runs.
struct Executable {
  std::shared_ptr<const Graph> graph;
};
Graph* graph_of(cudaGraph_t g) { return reinterpret_cast<Graph*>(g); }
Executable* executable_of(cudaGraphExec_t g) { return reinterpret_cast<Executable*>(g); }

}  // namespace
}  // namespace weir::ptx

using namespace weir::ptx;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const Guard guard(runtime_lock());
  Stream* s = stream_of(stream);
  if (s == default_stream()) return result(cudaErrorStreamCaptureUnsupported);
  if (captured(s)) return result(cudaErrorIllegalState);
  capture(s, new Graph);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Guard guard(runtime_lock());
  Stream* s = stream_of(stream);
  *graph = reinterpret_cast<cudaGraph_t>(captured(s));
  if (!captured(s)) return result(cudaErrorIllegalState);
  capture(s, nullptr);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const Guard guard(runtime_lock());
  delete graph_of(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  const Guard guard(runtime_lock());
  *out = reinterpret_cast<cudaGraphExec_t>(new Executable{std::make_shared<const Graph>(*graph_of(graph))});
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  const Guard guard(runtime_lock());
  delete executable_of(graph);
  return cudaSuccess;
}
// Nodes are as launches, each in its turn.
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const Guard guard(runtime_lock());
  if (context_error()) return result(context_error());
  Stream* s = stream_of(stream);
  if (captured(s)) unsupported("a graph within a graph");
  counting().program.graphs += counting().on;
  for (std::size_t node = 0; node < executable_of(graph)->graph->nodes.size(); ++node)
    submit(s, [all = executable_of(graph)->graph, node] {
      counting().in_graph = true;
      const int error = all->nodes[node]();
      counting().in_graph = false;
      return error;
    });
  return cudaSuccess;
}

}  // extern "C"
