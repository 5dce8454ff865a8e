#include "tests/ptx/parse/text.hpp"

#include <cctype>
#include <cstdlib>
#include <map>

namespace weir::ptx {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

std::string trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string without_comments(const std::string& t) {
  std::string out;
  out.reserve(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] == '"') {
      const std::size_t end = t.find('"', i + 1);
      out.append(t, i, end - i + 1);
      i = end;
    } else if (t.compare(i, 2, "//") == 0) {
      while (i < t.size() && t[i] != '\n') ++i;
      out += '\n';
    } else if (t.compare(i, 2, "/*") == 0) {
      i = t.find("*/", i) + 1;
    } else if (t[i] != '\r' && t[i] != '\0') {
      out += t[i];
    }
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  const std::string last = trim(text.substr(begin));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (is_space(text[i])) {
      ++i;
    } else if (in_name(text[i])) {
      while (i < text.size() && in_name(text[i])) ++i;
      words.emplace_back(text.substr(begin, i - begin));
    } else {
      words.emplace_back(1, text[i++]);
    }
  }
  return words;
}

std::vector<std::string> parts_of(std::string_view opcode) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', begin), opcode.size());
    if (end > begin) parts.emplace_back(opcode.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool contains_name(std::string_view text, std::string_view name) {
  for (std::size_t k = text.find(name); k != text.npos; k = text.find(name, k + 1)) {
    const std::size_t end = k + name.size();
    if ((k == 0 || !in_name(text[k - 1])) && (end >= text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

Type type_named(std::string_view name) {
  static const std::map<std::string_view, Type> types = {
      {"b8", B8},   {"b16", B16},   {"b32", B32}, {"b64", B64}, {"u8", U8},     {"u16", U16},
      {"u32", U32}, {"u64", U64},   {"s8", S8},   {"s16", S16}, {"s32", S32},   {"s64", S64},
      {"f16", F16}, {"bf16", BF16}, {"f32", F32}, {"f64", F64}, {"pred", PRED}, {"b128", B128}};
  const auto found = types.find(name);
  return found == types.end() ? NO_TYPE : found->second;
}

bool is_number(std::string_view t) {
  return !t.empty() &&
         (std::isdigit(static_cast<unsigned char>(t[0])) || ((t[0] == '-' || t[0] == '+') && t.size() > 1));
}

u64 bits_of_number(const std::string& t, Type type) {
  if (t.size() == 10 && (t.starts_with("0f") || t.starts_with("0F"))) {
    const u32 bits = static_cast<u32>(std::strtoull(t.c_str() + 2, nullptr, 16));
    return type == F64 ? bits_as<u64>(static_cast<double>(bits_as<float>(bits))) : bits;
  }
  if (t.size() == 18 && (t.starts_with("0d") || t.starts_with("0D"))) {
    const u64 bits = std::strtoull(t.c_str() + 2, nullptr, 16);
    return type == F32 ? bits_as<u32>(static_cast<float>(bits_as<double>(bits))) : bits;
  }
  if (t.find('.') != t.npos) {
    const double value = std::strtod(t.c_str(), nullptr);
    return type == F32 ? bits_as<u32>(static_cast<float>(value)) : bits_as<u64>(value);
  }
  const u64 value =
      t[0] == '-' ? static_cast<u64>(std::strtoll(t.c_str(), nullptr, 0)) : std::strtoull(t.c_str(), nullptr, 0);
  if (type == U16 || type == B16) return value & 0xffff;
  if (type == S16) return static_cast<u64>(static_cast<s64>(static_cast<s16>(value)));
  return value;
}

Declaration declaration(std::string_view text) {
  Declaration d;
  if (const std::size_t equals = text.find('='); equals != text.npos) {
    d.initial = trim(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == ".align") {
      d.align = std::atoi(words.at(++i).c_str());
    } else if (w[0] == '.') {
      const Type type = type_named(std::string_view(w).substr(1));
      if (type != NO_TYPE) d.type = type;
      if (w == ".v2") d.count *= 2;
      if (w == ".v4") d.count *= 4;
    } else if (w == "[") {
      if (words.at(i + 1) == "]") {
        d.unsized = true;
        d.count = 0;
        ++i;
      } else {
        d.count *= std::strtoll(words[i + 1].c_str(), nullptr, 0);
        i += 2;
      }
    } else if (d.name.empty()) {
      d.name = w;
    }
  }
  if (!d.align) d.align = bytes_of(d.type);
  return d;
}

}  // namespace weir::ptx
