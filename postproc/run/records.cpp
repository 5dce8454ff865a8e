#include "postproc/run/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

// A write costs some microseconds, as much as a step of a small case, so lines are written in batches.
constexpr std::size_t batch_bytes = 1 << 16;
constexpr double batch_seconds = 0.25;

// Shortest text that reads back the same; empty if not measured.
std::string cell(const Measure& m) { return m ? fmt::format("{}", *m) : std::string(); }

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.bad()) throw Error(Exit::file_io, "cannot read " + path);
  return text.str();
}

namespace {

std::string_view column(std::string_view line, std::size_t index) {
  for (; index > 0; --index) {
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    line.remove_prefix(comma + 1);
  }
  return line.substr(0, line.find(','));
}

// Returns -1 if it is not a number.
std::int64_t number_in(std::string_view text) {
  std::int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + key.size());
}

// no_step: the line has no step; an unreadable step counts as later than any other.
constexpr std::int64_t no_step = -1, garbled = std::numeric_limits<std::int64_t>::max();
using StepOf = std::function<std::int64_t(std::string_view line)>;

std::int64_t step_or_garbled(std::string_view text) {
  const std::int64_t step = number_in(text);
  return step < 0 ? garbled : step;
}

StepOf steps_of_csv(const std::string& text) {
  const std::string header = "," + text.substr(0, text.find('\n')) + ",";
  const auto found = header.find(",step,");
  if (found == std::string::npos) return {};
  const auto index =
      static_cast<std::size_t>(std::count(header.begin(), header.begin() + static_cast<long>(found), ','));
  return [index, is_header = true](std::string_view line) mutable {
    return std::exchange(is_header, false) ? no_step : step_or_garbled(column(line, index));
  };
}

StepOf step_reader(const std::string& path, const std::string& text) {
  if (path.ends_with(".csv")) return steps_of_csv(text);
  if (path.ends_with(".jsonl"))
    return [](std::string_view line) {
      const std::string_view number = after(line, "\"step\":");
      return line.find_first_not_of('\0') == line.npos ? garbled : number.empty() ? no_step : number_in(number);
    };
  if (path.ends_with(".pvd"))
    return [](std::string_view line) {
      const std::string_view name = after(line, "file=\"");
      return name.empty() ? no_step : step_in_name(name.substr(0, name.find('"')));
    };
  return {};
}

}  // namespace

LineFile::LineFile(const std::string& path, const std::string& header) : path_(path), flushed_at_(seconds_now()) {
  tell_making(path);
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail_to_write(path, errno);
  if (header.empty() || lseek(file_, 0, SEEK_END) != 0) return;
  add(header);
  flush();
}
LineFile::~LineFile() {
  try {
    flush();
  } catch (const Error&) {
    // A caller that needs the error has called flush() before.
  }
  close(file_);
}

void LineFile::add(const std::string& line) {
  waiting_ += line;
  waiting_ += '\n';
  if (waiting_.size() > batch_bytes || seconds_now() - flushed_at_ > batch_seconds) flush();
}

void LineFile::sync() {
  flush();
  if (is_synced_) return;
  sync_file(file_, path_);
  is_synced_ = true;
}

void LineFile::flush() {
  std::size_t done = 0;
  if (!waiting_.empty()) is_synced_ = false;
  while (done < waiting_.size()) {
    const ssize_t n = ::write(file_, waiting_.data() + done, waiting_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int reason = n < 0 ? errno : ENOSPC;
      waiting_.erase(0, done);
      fail_to_write(path_, reason);
    }
    done += static_cast<std::size_t>(n);
  }
  waiting_.clear();
  flushed_at_ = seconds_now();
}

std::string history_header(const std::vector<std::string>& columns) {
  std::string line = "step,time,dt,cfl";
  for (const auto& c : columns) line += "," + c;
  return line + ",wall";
}

std::string history_row(const StepRecord& r, double wall) {
  std::string line = fmt::format("{},{},{},{}", r.step, r.time, r.dt, cell(r.cfl));
  for (const auto& v : r.values) line += "," + cell(v);
  return line + fmt::format(",{:.6f}", wall);
}

std::string solves_header() {
  return "step,system,solver,unknowns,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,spmv_ms,reduce_ms,halo_ms,"
         "transfer_bytes,preconditioner_age,ilu_residual,dominance_L,dominance_U,target,tolerance,tolerance_reason";
}

std::string solves_row(const SolveRecord& r) {
  std::string line = fmt::format("{},{},{},{},{},{}", r.step, r.system, r.solver, r.unknowns, r.iterations, r.reason);
  for (const Measure* m : {&r.r0, &r.r_true, &r.setup_ms, &r.solve_ms, &r.apply_ms, &r.spmv_ms, &r.reduce_ms,
                           &r.halo_ms, &r.transfer_bytes, &r.preconditioner_age, &r.ilu_residual, &r.dominance_L,
                           &r.dominance_U, &r.target, &r.tolerance})
    line += "," + cell(*m);
  return line + "," + r.tolerance_reason;
}

std::int64_t step_in_name(std::string_view name) {
  name = name.substr(0, name.rfind('.'));
  for (int number = 0; number < 2; ++number) {  // "pressure_00000100_0": the step, and the solve in it
    const std::size_t bar = name.rfind('_');
    if (bar == std::string_view::npos) return -1;
    const std::string_view digits = name.substr(bar + 1);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return -1;
    if (digits.size() >= 8) return number_in(digits);
    name = name.substr(0, bar);
  }
  return -1;
}

std::optional<SplitText> split_at_step(const std::string& path, std::int64_t step) {
  const std::string text = read_text(path);
  const StepOf step_of = step_reader(path, text);
  if (!step_of) return std::nullopt;
  SplitText parts;
  bool is_any_later = false;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string_view line = std::string_view(text).substr(at, end + 1 - at);
    const std::int64_t its_step = step_of(line.substr(0, line.size() - 1));
    if (its_step <= step) parts.kept += line;
    if (its_step > step || its_step == no_step) parts.later += line;
    is_any_later |= its_step > step;
  }
  if (!is_any_later) parts.later.clear();
  return parts;
}

}  // namespace weir
