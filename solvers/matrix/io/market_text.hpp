// The whole of a matrix file as text: mapped into memory where it is a plain file, read where it is a pipe, unzipped
// where its content says that it is gzipped.
#pragma once
#include <string>
#include <string_view>

namespace weir {

class MarketText {
 public:
  explicit MarketText(const std::string& path);  // Error(file_io) where it cannot be read
  ~MarketText();
  MarketText(const MarketText&) = delete;
  MarketText& operator=(const MarketText&) = delete;
  std::string_view view() const { return mapped_ ? std::string_view(mapped_, size_) : std::string_view(text_); }

 private:
  const char* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::string text_;
};

// Plain and gzipped files alike, by zlib (market_gzip.cpp), or plain ones alone (market_no_gzip.cpp).
std::string unzipped_text(const std::string& path);

}  // namespace weir
