#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "postproc/fields/vtk.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

constexpr std::pair<std::string_view, char> entities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto* e =
        std::find_if(std::begin(entities), std::end(entities), [&](const auto& x) { return x.second == c; });
    if (e == std::end(entities))
      result += c;
    else
      result += e->first;
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto* e = std::find_if(std::begin(entities), std::end(entities),
                                 [&](const auto& x) { return text.starts_with(x.first); });
    result += e == std::end(entities) ? text.front() : e->second;
    text.remove_prefix(e == std::end(entities) ? 1 : e->first.size());
  }
  return result;
}

// The value of name="..." in an element's text; `path` for the error.
std::string attribute(std::string_view element, std::string_view name, const std::string& path) {
  const std::string key = fmt::format(" {}=\"", name);
  const auto at = element.find(key);
  const auto end = at == element.npos ? at : element.find('"', at + key.size());
  if (end == element.npos)
    throw Error(Exit::file_io, fmt::format("cannot read {}: a DataSet without '{}'", path, name));
  return unescaped(element.substr(at + key.size(), end - at - key.size()));
}

}  // namespace

PvdCollection::PvdCollection(std::string path, std::optional<double> restart_time) : path_(std::move(path)) {
  if (!restart_time || !std::filesystem::exists(path_)) return;
  std::ifstream file(path_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find("</VTKFile>") == text.npos)
    throw Error(Exit::file_io, "cannot read " + path_ + ": not a whole .pvd file");
  for (auto at = text.find("<DataSet "); at != text.npos; at = text.find("<DataSet ", at + 1)) {
    const std::string_view element = std::string_view(text).substr(at, text.find('>', at) - at);
    const std::string when = attribute(element, "timestep", path_);
    Entry entry{0, attribute(element, "file", path_)};
    if (std::from_chars(when.data(), when.data() + when.size(), entry.time).ec != std::errc{})
      throw Error(Exit::file_io, fmt::format("cannot read {}: timestep '{}' is no number", path_, when));
    entries_.push_back(std::move(entry));
  }
  // Times are written so that they read back exactly, and a restart knows its time exactly: no tolerance is needed.
  if (std::erase_if(entries_, [&](const Entry& e) { return e.time > *restart_time; })) write();
}

void PvdCollection::add(double time, const std::string& file) {
  std::erase_if(entries_, [&](const Entry& e) { return e.file == file; });
  entries_.push_back({time, file});
  write();
}

void PvdCollection::write() const {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const Entry& e : entries_)
    text += fmt::format("    <DataSet timestep=\"{}\" file=\"{}\"/>\n", e.time, escaped(e.file));
  text += "  </Collection>\n</VTKFile>\n";
  write_text_aside(path_, text);
}

}  // namespace weir
