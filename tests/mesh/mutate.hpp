// Random damage to the text of a file: what editors, transfers and other people's programs do to it, and worse.
#pragma once
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace weir::test {

class Mutator {
 public:
  // Bytes of a file that is no text are damaged by themselves: what tells about words and lines holds there too.
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  // The same number gives the same text on every machine: only the generator's raw output is used.
  std::string text(unsigned long number) {
    random_.seed(number);
    std::string t = seeds_[below(seeds_.size())];
    for (std::size_t k = below(2) ? 1 : 1 + below(4); k > 0; --k) below(3) ? damage(t) : miscount(t);
    return t;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  struct Range {
    std::size_t begin, end;
  };

  Range line_at(const std::string& t, std::size_t place) const {
    const std::size_t before = place == 0 ? std::string::npos : t.rfind('\n', place - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t after = t.find('\n', begin);
    return {begin, after == std::string::npos ? t.size() : after + 1};
  }

  Range word_at(const std::string& t, std::size_t place) const {
    constexpr const char* blanks = " \t\r\n";
    const std::size_t begin = t.find_first_not_of(blanks, place);
    if (begin == std::string::npos) return {t.size(), t.size()};
    const std::size_t end = t.find_first_of(blanks, begin);
    return {begin, end == std::string::npos ? t.size() : end};
  }

  std::string piece(const std::string& t) {
    const std::size_t from = below(t.size());
    return t.substr(from, 1 + below(80));
  }

  std::string word() {
    static const std::vector<std::string> plain = words_of(
        "0 1 2 3 4 5 7 8 9 10 12 15 99 -1 -0 0.5 1e400 1e-400 1e308 -1e308 1e155 nan inf -inf 2147483647 2147483648 "
        "-2147483648 4294967296 1000000000 536870912 9223372036854775807 -9223372036854775808 99999999999999999999 "
        "0x10 "
        "1,2 +3 -- = % $ \" \"\" NMARK= FFD_= $Nodes $EndNodes $Elements $Entities $PhysicalNames $EndElements "
        "$MeshFormat \xff\xfe");
    static const std::vector<std::string> others{"",
                                                 "NELEM= 4000000000",
                                                 "NDIME= 3",
                                                 "NPOIN= 1000000000",
                                                 "MARKER_TAG= a",
                                                 "MARKER_ELEMS= 1",
                                                 "4.1 0 8",
                                                 "2.2 0 8",
                                                 "2.2 1 8",
                                                 std::string(1, '\0'),
                                                 "\r"};
    const std::size_t k = below(plain.size() + others.size());
    return k < plain.size() ? plain[k] : others[k - plain.size()];
  }

  // A number that is one off, or absurd: in a line that counts (with '=', or after the name of a section) or in any.
  void miscount(std::string& t) {
    std::size_t place = below(t.size());
    if (below(2)) {
      place = t.find_first_of("=$", place);
      if (place == std::string::npos) return;
      place = t[place] == '=' ? place + 1 : line_at(t, place).end;
    }
    Range w = word_at(t, std::min(place, t.size()));
    for (std::size_t k = below(4); k > 0 && w.end < t.size(); --k) {
      const Range next = word_at(t, w.end);
      if (next.begin >= line_at(t, w.begin).end) break;
      w = next;
    }
    const std::string old = t.substr(w.begin, w.end - w.begin);
    if (old.empty() || old.size() > 9 || old.find_first_not_of("0123456789") != std::string::npos) return;
    const std::string by = below(4) ? std::to_string(std::stol(old) + (below(2) ? 1 : -1)) : number();
    t.replace(w.begin, w.end - w.begin, by);
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string w; stream >> w;) words.push_back(w);
    return words;
  }

  std::string number() {
    static const std::vector<std::string> numbers = words_of(
        "-1 1000000 1000000000 536870912 2147483647 2147483648 -2147483648 4294967296 9223372036854775807 "
        "-9223372036854775808 9223372036854775808");
    return numbers[below(numbers.size())];
  }

  void damage(std::string& t) {
    const std::size_t place = below(t.size());
    const Range line = line_at(t, place), other = line_at(t, below(t.size()));
    const Range w = word_at(t, place), v = word_at(t, below(t.size()));
    switch (below(14)) {
      case 0:
        t.resize(place);
        break;
      case 1:
        t.erase(line.begin, line.end - line.begin);
        break;
      case 2:
        t.insert(other.begin, t.substr(line.begin, line.end - line.begin));
        break;
      case 3:
        t.insert(place, piece(t));
        break;
      case 4:
        t.erase(place, 1 + below(80));
        break;
      case 5:
        t.insert(place, piece(seeds_[below(seeds_.size())]));
        break;
      case 6:
        if (!t.empty()) t[place] = static_cast<char>(t[place] ^ (1 << below(8)));
        break;
      case 7:
        t.insert(place, 1, static_cast<char>(below(256)));
        break;
      case 8:
        t.replace(w.begin, w.end - w.begin, std::to_string(below(40)));
        break;
      case 9:
        t.replace(w.begin, w.end - w.begin, t.substr(v.begin, v.end - v.begin));
        break;
      case 10:
        t.insert(line.begin, word() + "\n");
        break;
      case 11:
        t.insert(place, word());
        break;
      default:
        t.replace(w.begin, w.end - w.begin, word());
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937 random_;
};

}  // namespace weir::test
