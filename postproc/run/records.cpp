#include "postproc/run/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "postproc/run/machine.hpp"
#include "postproc/run/write_aside.hpp"

namespace weir {
namespace {

// A write costs some microseconds, as much as a step of a small case: not one a line.
constexpr std::size_t batch_bytes = 1 << 16;
constexpr double batch_seconds = 0.25;

// Shortest text that reads back the same; empty where not measured.
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

bool is_there(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

// Keeps the whole lines that `keep` says yes to.
template <class Keep>
void filter_lines(const std::string& path, const Keep& keep) {
  const std::string text = read_text(path);
  std::string kept;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    if (keep(std::string_view(text).substr(at, end - at))) kept += text.substr(at, end + 1 - at);
  if (kept != text) write_text_aside(path, kept);
}

std::string_view column(std::string_view line, std::size_t index) {
  for (; index > 0; --index) {
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    line.remove_prefix(comma + 1);
  }
  return line.substr(0, line.find(','));
}

bool is_at_most(std::string_view text, std::int64_t step) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && value <= step;
}

}  // namespace

LineFile::LineFile(const std::string& path, const std::string& header) : path_(path), flushed_at_(seconds_now()) {
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail_to_write(path, errno);
  if (header.empty() || lseek(file_, 0, SEEK_END) != 0) return;
  add(header);
  flush();
}
LineFile::~LineFile() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
    // Whoever needs to know has called flush() before.
  }
  close(file_);
}
LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)),
      waiting_(std::move(other.waiting_)),
      file_(std::exchange(other.file_, -1)),
      flushed_at_(other.flushed_at_) {}
LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(waiting_, other.waiting_);
  std::swap(file_, other.file_);
  std::swap(flushed_at_, other.flushed_at_);
  return *this;
}

void LineFile::add(const std::string& line) {
  waiting_ += line;
  waiting_ += '\n';
  if (waiting_.size() > batch_bytes || seconds_now() - flushed_at_ > batch_seconds) flush();
}

void LineFile::flush() {
  std::size_t done = 0;
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
         "transfer_bytes,preconditioner_age,ilu_residual,dominance_L,dominance_U,target";
}

std::string solves_row(const SolveRecord& r) {
  std::string line = fmt::format("{},{},{},{},{},{}", r.step, r.system, r.solver, r.unknowns, r.iterations, r.reason);
  for (const Measure* m :
       {&r.r0, &r.r_true, &r.setup_ms, &r.solve_ms, &r.apply_ms, &r.spmv_ms, &r.reduce_ms, &r.halo_ms,
        &r.transfer_bytes, &r.preconditioner_age, &r.ilu_residual, &r.dominance_L, &r.dominance_U, &r.target})
    line += "," + cell(*m);
  return line;
}

void cut_csv(const std::string& path, std::int64_t step) {
  if (!is_there(path)) return;
  const std::string text = read_text(path);
  const std::string header = "," + text.substr(0, text.find('\n')) + ",";
  const auto found = header.find(",step,");
  if (found == std::string::npos) return;
  const auto index =
      static_cast<std::size_t>(std::count(header.begin(), header.begin() + static_cast<long>(found), ','));
  bool first = true;
  filter_lines(path, [&](std::string_view line) {
    return std::exchange(first, false) || is_at_most(column(line, index), step);
  });
}

void cut_jsonl(const std::string& path, std::int64_t step) {
  if (!is_there(path)) return;
  filter_lines(path, [step](std::string_view line) {
    constexpr std::string_view key = "\"step\":";
    const auto at = line.find(key);
    if (at == std::string_view::npos) return true;
    const auto number = line.substr(at + key.size());
    return is_at_most(number.substr(0, number.find_first_of(",}")), step);
  });
}

}  // namespace weir
