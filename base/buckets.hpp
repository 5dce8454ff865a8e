// Counting sort of items into buckets. The items of a bucket keep their order.
#pragma once
#include <numeric>
#include <vector>

namespace weir {

// Bucket b holds item[start[b]] .. item[start[b + 1] - 1].
template <class Item, class Start = int>
struct Buckets {
  std::vector<Start> start;
  std::vector<Item> item;
};

// each(put) calls put(bucket, item) for every item. It is called twice: to count and to fill.
template <class Item, class Start = int, class Each>
Buckets<Item, Start> into_buckets(std::size_t buckets, const Each& each) {
  Buckets<Item, Start> b;
  b.start.assign(buckets + 1, 0);
  each([&](int at, const Item&) { ++b.start[at + 1]; });
  std::partial_sum(b.start.begin(), b.start.end(), b.start.begin());
  b.item.resize(b.start.back());
  std::vector<Start> next(b.start.begin(), b.start.end() - 1);
  each([&](int at, const Item& item) { b.item[next[at]++] = item; });
  return b;
}

}  // namespace weir
