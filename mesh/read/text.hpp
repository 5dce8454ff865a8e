// The text of a mesh file, line by line and field by field, with an error that names file and line. Nothing is copied
// and nothing allocated but messages, so that a file of a million cells is read as fast as its numbers are converted.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "base/table.hpp"

namespace weir {

class MeshText {
 public:
  // comment: what follows this character on a line is not read; '\0': nothing is a comment.
  MeshText(std::string_view text, std::string name, char comment);

  bool next();                // to the next line that is not blank; false at the end of the file
  void next(const char* in);  // the same; at the end of the file: "truncated: the file ends in <in>"
  std::string_view line() const { return line_; }
  int number() const { return number_; }  // of the line, from 1
  const std::string& name() const { return name_; }

  // The fields of the line, separated by blanks. `what` says in the message what was expected.
  bool has_field();
  int fields() const;  // that are left
  std::string_view field(const char* what);
  std::int64_t integer(const char* what);
  std::int64_t count(const char* what);  // not negative
  double coordinate(const char* what);   // finite
  void skip(std::int64_t fields, const char* what);
  void skip_past(char c);  // what follows the first c of the line
  void end_of_line(const char* what);
  std::string_view rest();  // of the line, without the blanks around it

  // How many items a header may ask for before they are seen: no more than the rest of the file can hold.
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
