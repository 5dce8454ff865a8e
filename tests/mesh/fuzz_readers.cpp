// Fuzz target of the mesh and surface readers: damaged files must be read or refused, never crash, hang or take memory
// that the size of the file does not explain.
//   fuzz_readers [su2|gmsh2|gmsh4|stl|stl_binary] [--count 100000] [--first 0]   damaged files of one or each reader
//   fuzz_readers su2 --show 4711                                    prints one damaged file
//   fuzz_readers naca.su2 --count 1000                              damages that file instead of the program's own
// A finding tells its number. Build with the preset `asan` so that a wrong access is one.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mesh/body/shapes.hpp"
#include "mesh/body/stl/stl.hpp"
#include "mesh/read/read_mesh.hpp"
#include "tests/mesh/check_mesh.hpp"
#include "tests/mesh/mesh_files.hpp"
#include "tests/mesh/meshes.hpp"
#include "tests/mesh/mutate.hpp"
#include "tests/support/write_stl.hpp"

namespace {

// Memory of the program and its limit, checked at each allocation.
std::size_t held = 0, most_held = 0, limit = ~std::size_t{0};
bool ran_away = false;

void* take(std::size_t size) {
  if (size > limit || held > limit - size) {
    ran_away = true;
    throw std::bad_alloc();
  }
  void* p = std::malloc(size == 0 ? 1 : size);
  if (!p) throw std::bad_alloc();
  held += malloc_usable_size(p);
  most_held = std::max(most_held, held);
  return p;
}

void give(void* p) noexcept {
  if (!p) return;
  held -= malloc_usable_size(p);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }

namespace weir::test {
namespace {

constexpr std::size_t bytes_a_byte =
    200;  // of memory to a byte of file: a line "5 0 1 2" becomes a cell with its faces
constexpr unsigned seconds_to_hang = 20;

struct Tally {
  int accepted = 0, refused = 0;
  std::set<std::string> messages;  // without their numbers and quotations
  double worst_ratio = 0;
};

std::string kind(const std::string& message) {
  std::string k;
  bool quoted = false;
  for (char c : message) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c < '0' || c > '9')) k += c;
  }
  return k;
}

// Reads a file; of what is accepted, what is wrong with it, or nothing.
using Reader = std::string (*)(const std::string& text);

std::string read_as_mesh(const std::string& text) {
  const UnstructuredMesh m = build_mesh(parse_description(text, "m"));
  const MeshCheck check = check_mesh(m);
  return check.closure <= 1e-12 ? "" : "an accepted mesh whose cells do not close";
}

std::string read_as_surface(const std::string& text) {
  const Surface s = parse_stl(text, "s");
  Vec3 sum{};
  for (int e = 0; e < s.elements(); ++e) sum += area_vector(s, e);
  if (!(length(sum) <= 1e-12 * area(s))) return "an accepted surface that is not closed";
  return volume(s) > 0 ? "" : "an accepted surface that encloses nothing";
}

// Empty, or what is wrong.
std::string finding(const std::string& text, Reader fault_of_accepted, Tally& tally) {
  const std::size_t before = most_held = held;
  limit = held + bytes_a_byte * text.size() + 10000;
  std::string found;
  try {
    found = fault_of_accepted(text);
    ++tally.accepted;
  } catch (const Error& e) {
    limit = ~std::size_t{0};
    if (e.code() != Exit::usage) found = std::string("an error of another code: ") + e.what();
    ++tally.refused;
    tally.messages.insert(kind(e.what()));
  } catch (const std::exception& e) {
    limit = ~std::size_t{0};
    found = std::string("an exception of another type: ") + e.what();
  }
  limit = ~std::size_t{0};
  if (ran_away) found = "more memory than the file explains";
  ran_away = false;
  tally.worst_ratio = std::max(tally.worst_ratio, static_cast<double>(most_held - before) / (text.size() + 500.0));
  return found;
}

std::vector<std::string> seeds_of(Format format) {
  MeshDescription middle = box_description(2, 1);
  middle.add_marker("middle");
  middle.add_edge(1, 4, 4);
  std::vector<std::string> seeds;
  for (const MeshDescription& d :
       {box_description(3, 2), box_description(2, 2, true, 0.2), box_description(1, 1), middle})
    seeds.push_back(mesh_file(d, format).text);
  std::string nameless = seeds[1];
  const std::size_t names = nameless.find("$PhysicalNames"), after = nameless.find("$EndPhysicalNames");
  if (names != std::string::npos) seeds.push_back(nameless.erase(names, after + 18 - names));
  return seeds;
}

struct Subject {
  const char* name;
  Reader reader;
  std::vector<std::string> seeds;
};

std::vector<std::string> stl_seeds(bool is_binary) {
  Surface hollow = make_box({1, 1, 1}, 0.5);
  const Surface hole = make_box({0.5, 0.5, 0.5}, 1);
  for (const auto& e : hole.element)
    hollow.element.push_back({e[0] + hollow.nodes(), e[1] + hollow.nodes(), e[2] + hollow.nodes()});
  hollow.node.insert(hollow.node.end(), hole.node.begin(), hole.node.end());
  std::vector<std::string> seeds;
  for (const Surface& s : {make_box({1, 2, 3}, 3), make_ellipsoid({1, 1, 2}, 1), hollow})
    seeds.push_back(is_binary ? stl_binary(s) : stl_ascii(s, "seed"));
  return seeds;
}

int fuzz(const Subject& subject, unsigned long first, unsigned long count) {
  const auto& [name, reader, seeds] = subject;
  Mutator mutate(seeds);
  Tally tally;
  int findings = 0;
  for (unsigned long number = first; number < first + count; ++number) {
    const std::string text = mutate.text(number);
    alarm(seconds_to_hang);
    const std::string found = finding(text, reader, tally);
    if (!found.empty() && ++findings <= 10) std::printf("%s %lu: %s\n", name, number, found.c_str());
  }
  alarm(0);
  std::printf(
      "%s: %lu damaged files, %d accepted, %d refused with %zu kinds of messages, at most %.0f bytes a byte, %d "
      "findings\n",
      name, count, tally.accepted, tally.refused, tally.messages.size(), tally.worst_ratio, findings);
  return findings;
}

std::string content_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) {
    std::fprintf(stderr, "%s: neither a reader (su2, gmsh2, gmsh4, stl, stl_binary) nor a file\n", path);
    std::exit(2);
  }
  return text;
}

int run(int argc, char** argv) {
  unsigned long first = 0, count = 300, show = 0;
  bool shows = false;
  const char* only = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "0";
    if (arg == "--count") count = std::strtoul(value, nullptr, 10);
    if (arg == "--first") first = std::strtoul(value, nullptr, 10);
    if (arg == "--show") show = std::strtoul(value, nullptr, 10);
    shows = shows || arg == "--show";
    if (arg.starts_with("--"))
      ++i;
    else
      only = argv[i];
  }
  std::vector<Subject> subjects;
  const auto is_wanted = [&](const char* name) { return !only || std::strcmp(only, name) == 0; };
  for (const auto& [format, name] : {std::pair{Format::su2, "su2"}, {Format::gmsh2, "gmsh2"}, {Format::gmsh4, "gmsh4"}})
    if (is_wanted(name)) subjects.push_back({name, read_as_mesh, seeds_of(format)});
  for (const auto& [name, is_binary] : {std::pair{"stl", false}, {"stl_binary", true}})
    if (is_wanted(name)) subjects.push_back({name, read_as_surface, stl_seeds(is_binary)});
  if (subjects.empty()) {
    const bool is_surface = std::string(only).ends_with(".stl");
    subjects.push_back({only, is_surface ? read_as_surface : read_as_mesh, {content_of(only)}});
  }
  int findings = 0;
  for (const Subject& subject : subjects) {
    if (shows) {
      const std::string text = Mutator(subject.seeds).text(show);
      std::fwrite(text.data(), 1, text.size(), stdout);
    } else {
      findings += fuzz(subject, first, count);
    }
  }
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weir::test

int main(int argc, char** argv) { return weir::test::run(argc, argv); }
