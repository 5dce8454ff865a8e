// Sums of doubles that are exact until they are rounded once, to nearest: the bits depend neither on the order of the
// terms nor on how threads and ranks share them (Kulisch 2013; small superaccumulator of Neal 2015). The accumulator is
// a fixed-point number that covers the range of double, in chunks of 32 bits within 64, so that ranks can be added as
// integers:
//   ExactSum s = exact_sum(n, [=](int i) { return x[i] * y[i]; });   // of this rank, on all threads
//   const double dot = ranks.sum(s);                                 // communicator.hpp
// Blocks of terms are first split into parts that add without rounding error in ordinary double arithmetic (Rump, Ogita
// & Oishi 2008), in loops that vectorise; the accumulator takes one number per part and block.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "solvers/device/chunked_reduce.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {

class ExactSum {
 public:
  static constexpr int block = 1024;  // terms per call of add, at most

  // Adds the terms, which are changed.
  void add(std::span<double> terms) {
    double* const term = terms.data();
    const auto n = static_cast<int>(terms.size());
    constexpr double smallest = 0x1p-900, largest = 0x1p+960;  // where the parts neither underflow nor overflow
    double most = detail::chunk_max(0, n, [=](int i) { return term[i]; });
    while (most >= smallest && most <= largest) {
      // The part of a term is a multiple of ulp(sigma) / 2. Its sum over a block is below sigma: it fits in 53 bits.
      const double sigma = std::ldexp(2.0 * block, std::ilogb(most) + 1);
      most = 0;
      double sum_of_parts = 0;
#pragma omp simd reduction(+ : sum_of_parts) reduction(max : most)
      for (int i = 0; i < n; ++i) {
        const double part = (sigma + term[i]) - sigma, rest = term[i] - part, size = rest < 0 ? -rest : rest;
        term[i] = rest;
        sum_of_parts += part;
        most = size > most ? size : most;
      }
      add_one(sum_of_parts);
    }
    if (!(most == 0))
      for (const double t : terms) add_one(t);
    carry();
  }

  void add(double term) { add(std::span(&term, 1)); }
  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < value_.size(); ++i) value_[i] += other.value_[i];
    carry();
  }

  // The sum, rounded to nearest, ties to even; that of no terms is +0.
  double rounded() const {
    if (value_[nan] > 0 || (value_[plus] > 0 && value_[minus] > 0)) return std::numeric_limits<double>::quiet_NaN();
    if (value_[plus] > 0 || value_[minus] > 0) return (value_[plus] > 0 ? 1 : -1) * infinity;
    ExactSum size = *this;
    size.carry();
    const bool is_negative = size.value_[chunks - 1] < 0;
    if (is_negative) size.negate();
    const double x = size.rounded_size();
    return is_negative ? -x : x;
  }

  // For messages: the sums of ranks are the sums of their numbers.
  std::span<std::int64_t> numbers() { return value_; }

 private:
  static constexpr int chunk_bits = 32, chunks = 67, smallest_exponent = -1074;      // of the lowest bit
  static constexpr std::size_t plus = chunks, minus = chunks + 1, nan = chunks + 2;  // counts of special terms
  static constexpr std::uint64_t low_bits = 0xffffffff;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void add_one(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
    if (exponent == 0x7ff) {
      ++value_[x != x ? nan : x > 0 ? plus : minus];
      return;
    }
    const std::uint64_t mantissa = (bits & 0xfffffffffffffULL) | (exponent > 0 ? 1ULL << 52 : 0);
    const int place = std::max(exponent, 1) - 1, shift = place % chunk_bits;
    const std::int64_t sign = x < 0 ? -1 : 1;
    std::int64_t* to = value_.data() + place / chunk_bits;
    const std::uint64_t upper = mantissa >> (chunk_bits - shift);  // beyond the lowest chunk
    to[0] += sign * static_cast<std::int64_t>((mantissa << shift) & low_bits);
    to[1] += sign * static_cast<std::int64_t>(upper & low_bits);
    to[2] += sign * static_cast<std::int64_t>(upper >> chunk_bits);
  }

  // All chunks but the highest, which has the sign, to 0 .. 2^32 - 1.
  void carry() {
    for (std::size_t i = 0; i < chunks - 1; ++i) {
      value_[i + 1] += value_[i] >> chunk_bits;
      value_[i] &= static_cast<std::int64_t>(low_bits);
    }
  }
  void negate() {
    for (std::size_t i = 0; i < chunks; ++i) value_[i] = -value_[i];
    carry();
  }

  // Of a positive number: its highest 64 bits, the lowest of them set if any is beyond, are rounded by the conversion.
  double rounded_size() const {
    const auto chunk = [&](int i) {
      return i < 0 ? 0 : static_cast<std::uint64_t>(value_[static_cast<std::size_t>(i)]);
    };
    int high = chunks - 1;
    while (high > 0 && chunk(high) == 0) --high;
    if (high == chunks - 1) return infinity;  // 2^1038 or more
    if (chunk(high) == 0) return 0;
    const auto used = static_cast<int>(std::bit_width(chunk(high)));
    std::uint64_t top =
        (chunk(high) << (64 - used)) | (chunk(high - 1) << (chunk_bits - used)) | (chunk(high - 2) >> used);
    bool has_more = (chunk(high - 2) & ((1ULL << used) - 1)) != 0;
    for (int i = high - 3; i >= 0 && !has_more; --i) has_more = chunk(i) != 0;
    if (has_more) top |= 1;
    return std::ldexp(static_cast<double>(top), chunk_bits * high + used - 64 + smallest_exponent);
  }

  std::array<std::int64_t, chunks + 3> value_{};
};

// The sum of f(i), i = 0 .. n - 1, which is called once per index, on all threads.
template <class F>
ExactSum exact_sum(std::int64_t n, const F& f) {
  ExactSum all;
#pragma omp parallel if (n > parallel_grain)
  {
    const F term = f;  // a copy per thread, as in for_each
    ExactSum mine;
    double terms[ExactSum::block];
#pragma omp for schedule(static) nowait
    for (std::int64_t from = 0; from < n; from += ExactSum::block) {
      const auto count = static_cast<int>(std::min<std::int64_t>(ExactSum::block, n - from)),
                 first = static_cast<int>(from);
#pragma omp simd
      for (int i = 0; i < count; ++i) terms[i] = term(first + i);
      mine.add(std::span(terms, static_cast<std::size_t>(count)));
    }
#pragma omp critical(weir_exact_sum)
    all.add(mine);
  }
  return all;
}

}  // namespace weir
