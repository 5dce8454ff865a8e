// The state of an object as an array of doubles, for checkpoints and branches. One function names the fields, so they
// are written and read in the same order:
//   void Policy::state(Archive& a) { a.number("age", age_), a.list("ages", ages_); }
//   Archive a;           policy.state(a);  save(a.numbers());
//   Archive b(numbers);  policy.state(b);
// A field is stored as a hash of its name, the number of its values, and the values. A field that does not match
// throws Error(file_io). The reader checks with require() every number that is used as an index.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weir {

class Archive {
 public:
  Archive() = default;                                                                           // for writing
  explicit Archive(std::vector<double> numbers) : numbers_(std::move(numbers)), reads_(true) {}  // for reading

  bool reads() const { return reads_; }
  const std::vector<double>& numbers() const { return numbers_; }

  template <class T>
  void number(std::string_view name, T& value) {
    std::vector<T> one{value};
    list(name, one);
    require(one.size() == 1, name);
    value = one.front();
  }
  // T: double, an integer up to 2^53, bool.
  template <class T>
  void list(std::string_view name, std::vector<T>& values) {
    if (!reads_) return put(name, values);
    const std::size_t count = open(name);
    values.clear();
    for (std::size_t i = 0; i < count; ++i) values.push_back(as<T>(numbers_[at_ + i], name));
    at_ += count;
  }
  // The first `count` values of an Array or GrowingArray of either space.
  template <class A>
  void array(std::string_view name, A& values, std::int64_t count) {
    auto host = reads_ ? decltype(values.to_vector()){} : values.to_vector();
    if (!reads_) host.resize(static_cast<std::size_t>(count));
    list(name, host);
    require(static_cast<std::int64_t>(host.size()) == count && values.size() >= count, name);
    if (reads_ && count > 0) values.upload(host);
  }

  void require(bool good, std::string_view name) const {
    if (!good)
      throw Error(Exit::file_io, "the stored state of a solver does not match: '" + std::string(name) +
                                     "' is not possible for a solver with these options on this system");
  }
  static std::uint32_t hash(std::string_view text) {
    std::uint32_t h = 2166136261u;  // FNV-1a
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
  }
  void end() const { require(!reads_ || at_ == numbers_.size(), "end"); }

 private:
  static double tag(std::string_view name) { return hash(name); }
  template <class T>
  void put(std::string_view name, const std::vector<T>& values) {
    numbers_.push_back(tag(name));
    numbers_.push_back(static_cast<double>(values.size()));
    for (const T value : values) numbers_.push_back(static_cast<double>(value));
  }
  std::size_t open(std::string_view name) {
    require(numbers_.size() - at_ >= 2 && numbers_[at_] == tag(name), name);
    const double count = numbers_[at_ + 1];
    at_ += 2;
    require(count >= 0 && count <= static_cast<double>(numbers_.size() - at_) && count == std::floor(count), name);
    return static_cast<std::size_t>(count);
  }
  template <class T>
  T as(double value, std::string_view name) const {
    if constexpr (!std::is_same_v<T, double>) {
      constexpr double most = std::min(9007199254740992.0, static_cast<double>(std::numeric_limits<T>::max()));
      require(value == std::floor(value) && std::abs(value) <= most, name);
    }
    return static_cast<T>(value);
  }

  std::vector<double> numbers_;
  std::size_t at_ = 0;
  bool reads_ = false;
};

}  // namespace weir
