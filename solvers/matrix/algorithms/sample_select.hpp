// SampleSelect (Anzt et al. 2019, section III): the value of a given rank among n values, without sorting.
//   1  splitters   quantiles s_1 <= .. <= s_255 of 1024 random samples, as a search tree in level order (Fig. 4)
//   2  count       each value walks down the tree (Fig. 5) into one of 256 buckets, s_b <= x < s_(b+1); its bucket is
//                  stored in a byte, the "oracle"
//   3  bucket      the bucket that contains the rank, by a prefix sum of the counts
//   4  extract     the values of that bucket by their oracles; from 1 again until few are left to be sorted (Fig. 3)
// Values equal to a repeated splitter have a bucket of their own: if the rank falls there, that splitter is the
// answer. So every extraction reduces the number of values, with duplicates as well.
//   exact         steps 1 to 4, about log(n) / log(256) times
//   approximate   steps 1 to 3 once: the splitter of the nearest rank, with an error of about n / 500
// Results do not depend on threads or timing. NaN is not allowed.
// Bytes per value: counting reads 8 and writes 1 (approximate: 0), extraction reads 1; 8 comparisons.
#pragma once
#include "solvers/device/growing_array.hpp"

namespace weir {

struct Selection {
  double value = 0;
  std::int64_t below = 0;  // number of smaller values
  int levels = 0;          // number of counting passes
};

struct SelectTimes {
  double splitters = 0, count = 0, extract = 0, sort = 0;
};

namespace select {

inline constexpr int tree_height = 8, buckets = 1 << tree_height, samples = 1024, smallest = 1024;

// s[b]: lower end of bucket b (s[0] unused); equal[b]: s[b] == s[b + 1], so bucket b has only values of s[b].
struct Splitters {
  double tree[buckets], s[buckets];
  unsigned char equal[buckets];
};

struct Found {
  int bucket, equal;           // equal: all values of the bucket are s[bucket]
  std::int64_t before, count;  // number of values in smaller buckets and in this one
  double value;                // s[bucket]
};

// Index of the q-th sample among n values.
WEIR_HD inline std::int64_t sample_index(std::uint64_t seed, int level, int q, std::int64_t n) {
  std::uint64_t h =
      seed * 0x9e3779b97f4a7c15u + (static_cast<std::uint64_t>(level) << 32 | static_cast<std::uint64_t>(q));
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  return static_cast<std::int64_t>(h % static_cast<std::uint64_t>(n));
}

WEIR_HD inline int splitter_of_node(int node) {
  int level = 0;
  while ((2 << level) <= node + 1) ++level;
  return (2 * (node + 1 - (1 << level)) + 1) << (tree_height - 1 - level);
}

WEIR_HD inline int bucket_of(const double* tree, double x) {
  int i = 0;
  for (int l = 0; l < tree_height; ++l) i = 2 * i + (x < tree[i] ? 1 : 2);
  return i - (buckets - 1);
}

}  // namespace select

template <class Space>
class SampleSelect {
 public:
  explicit SampleSelect(std::uint64_t seed = 1) : seed_(seed) {}  // of the samples

  // Rank 0 is the smallest. Throws Error(usage) unless 0 <= rank < the number of values.
  Selection exact(View<const double> values, std::int64_t rank);
  Selection approximate(View<const double> values, std::int64_t rank);

  const SelectTimes& times() const { return times_; }

 private:
  void find_splitters(const double* x, std::int64_t n, int level);
  template <bool Oracles>
  select::Found count(const double* x, std::int64_t n, std::int64_t rank, bool nearest);
  const double* extract(const double* x, std::int64_t n, const select::Found& found, int level);
  Selection sorted(const double* x, std::int64_t n, std::int64_t rank);

  std::uint64_t seed_;
  SelectTimes times_;
  GrowingArray<select::Splitters, Space> splitters_;
  GrowingArray<std::int64_t, Space> counts_;  // per bucket and thread (Device: workgroup)
  GrowingArray<unsigned char, Space> oracles_;
  GrowingArray<double, Space> left_[2];  // extracted values
  GrowingArray<select::Found, Space> found_;
  int parts_ = 1;  // number of threads or workgroups that counted
};

}  // namespace weir
