// The text of a mesh file, read by lines and fields, with errors that name file and line. Makes no copies.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "base/table.hpp"

namespace weir {

class MeshText {
 public:
  // comment: character that starts a comment; '\0': none.
  MeshText(std::string_view text, std::string name, char comment);

  bool next();                // to the next line that is not blank; false at end of file
  void next(const char* in);  // the same, but the end of file is an error: "truncated: the file ends in <in>"
  std::string_view line() const { return line_; }
  int number() const { return number_; }  // number of the current line, from 1
  const std::string& name() const { return name_; }

  // The fields of the line, separated by blanks. `what`: expected item, for messages.
  bool has_field();
  int fields() const;  // remaining fields
  std::string_view field(const char* what);
  std::int64_t integer(const char* what);
  std::int64_t count(const char* what);  // not negative
  double coordinate(const char* what);   // finite
  void skip(std::int64_t fields, const char* what);
  void skip_past(char c);  // continues after the first c of the line
  void end_of_line(const char* what);
  std::string_view rest();  // rest of the line without surrounding blanks

  // Number of items to reserve memory for: at most what the rest of the file can contain.
  std::size_t room(std::int64_t items, std::size_t bytes_each) const;

  [[noreturn]] void fail(const std::string& message) const;
  static std::string quoted(std::string_view text);  // printable and short

 private:
  std::string_view left_, line_, fields_;
  std::string name_;
  char comment_;
  int number_ = 0;
};

}  // namespace weir
