#include "solvers/adapters/peer.hpp"

#include <malloc.h>

#include "base/error.hpp"
#include "base/foreign/optional_library.hpp"

namespace weir {
namespace {

std::vector<PeerLibrary> all() {
  return {petsc_library(), hypre_library(),  eigen_library(), suitesparse_library(),
          amgcl_library(), ginkgo_library(), cudss_library(), amgx_library()};
}

}  // namespace

PeerLibrary absent_library(const char* name) {
  return {name, false, [=](const std::string& what, const KrylovOptions&) -> std::unique_ptr<Peer> {
            throw Error(Exit::usage, "'" + std::string(name) + ":" + what + "': " + lacks(name));
          }};
}

PeerName peer_name(const std::string& method) {
  const std::size_t colon = method.find(':');
  if (colon == std::string::npos) return {};
  return {method.substr(0, colon), method.substr(colon + 1)};
}

bool is_peer(const std::string& method) {
  const std::string library = peer_name(method).library;
  for (const PeerLibrary& l : all())
    if (library == l.name) return true;
  return false;
}

std::vector<std::string> peer_libraries() {
  std::vector<std::string> names;
  for (const PeerLibrary& l : all())
    if (l.is_there) names.emplace_back(l.name);
  return names;
}

bool runs_over_ranks(const std::string& library) { return library == "petsc" || library == "hypre"; }

std::unique_ptr<Peer> make_peer(const std::string& method, const KrylovOptions& options) {
  const PeerName name = peer_name(method);
  for (const PeerLibrary& l : all())
    if (name.library == l.name) return l.make(name.what, options);
  throw Error(
      Exit::usage,
      "'" + method + "' names no library (petsc:, hypre:, eigen:, suitesparse:, amgcl:, ginkgo:, cudss:, amgx:)");
}

std::int64_t heap_bytes() {
  const struct mallinfo2 m = mallinfo2();
  return static_cast<std::int64_t>(m.uordblks + m.hblkhd);
}

}  // namespace weir
