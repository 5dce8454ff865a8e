// Gmsh's .msh, versions 2.2 and 4.1, as text: sections $Name .. $EndName.
#include "mesh/read/gmsh.hpp"
#include "mesh/read/read_mesh.hpp"

namespace weir {
namespace {

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& name) : text_(text, name, '\0'), mesh_(text_) {}

  MeshDescription read() {
    while (text_.next()) {
      if (text_.line().front() != '$' || text_.line().starts_with("$End"))
        text_.fail("expected the start of a section ($...), found " + MeshText::quoted(text_.line()));
      const std::string name(text_.line().substr(1, 40));
      if (version_ == 0 && name != "MeshFormat" && name != "Comments") {
        if (name == "NOD" || name == "NOE") text_.fail("Gmsh format 1; " + convert());
        text_.fail("expected $MeshFormat, found " + MeshText::quoted(text_.line()));
      }
      section(name);
    }
    if (!has_elements_) text_.fail("truncated: the file ends without $Elements");
    return mesh_.finish();
  }

 private:
  std::string convert() const { return "convert it with: gmsh FILE -save -format msh41 -o NEW.msh"; }

  void section(const std::string& name) {
    if (name == "MeshFormat") {
      format();
    } else if (name == "PhysicalNames") {
      names();
    } else if (name == "Entities" && version_ == 4) {
      groups_ = gmsh4_entities(text_);
      return skip_section(name);  // surfaces
    } else if (name == "Nodes") {
      if (mesh_.has_nodes()) text_.fail("$Nodes is there twice");
      version_ == 2 ? gmsh2_nodes(text_, mesh_) : gmsh4_nodes(text_, mesh_);
    } else if (name == "Elements") {
      if (!mesh_.has_nodes()) text_.fail("$Elements before $Nodes");
      if (has_elements_) text_.fail("$Elements is there twice");
      has_elements_ = true;
      version_ == 2 ? gmsh2_elements(text_, mesh_) : gmsh4_elements(text_, groups_, mesh_);
    } else if (name == "PartitionedEntities") {
      text_.fail("a partitioned mesh; save it whole (Mesh.PartitionCreateTopology = 0, or before it is partitioned)");
    } else {
      return skip_section(name);
    }
    end(name);
  }

  void end(const std::string& name) {
    text_.next(("$" + name).c_str());
    if (text_.line() != "$End" + name)
      text_.fail("expected $End" + name + " (more lines than the count above says?), found " +
                 MeshText::quoted(text_.line()));
  }

  void skip_section(const std::string& name) {
    do text_.next(("$" + name).c_str());
    while (!text_.line().starts_with("$End" + name));
  }

  void format() {
    if (version_ != 0) text_.fail("$MeshFormat is there twice");
    text_.next("$MeshFormat");
    const double version = text_.coordinate("the version of the format");
    const std::int64_t binary = text_.integer("0 (text) or 1 (binary)");
    if (binary != 0) text_.fail("a binary .msh file; " + convert());
    if (version >= 2 && version < 3)
      version_ = 2;
    else if (version >= 4.1 && version < 5)
      version_ = 4;
    else
      text_.fail("version " + MeshText::quoted(text_.line().substr(0, text_.line().find(' '))) +
                 " of the .msh format; 2.2 and 4.1 are read; " + convert());
  }

  void names() {
    text_.next("$PhysicalNames");
    const std::int64_t count = text_.count("the number of names");
    for (std::int64_t i = 0; i < count; ++i) {
      text_.next("$PhysicalNames");
      const std::int64_t dimension = text_.integer("a dimension"), group = text_.integer("a physical group");
      std::string_view name = text_.rest();
      if (name.size() < 2 || name.front() != '"' || name.back() != '"')
        text_.fail("expected a name in quotes, found " + MeshText::quoted(name));
      name.remove_prefix(1);
      name.remove_suffix(1);
      mesh_.name_group(dimension, group, std::string(name));
    }
  }

  MeshText text_;
  GmshMesh mesh_;
  GroupOfCurve groups_;
  int version_ = 0;
  bool has_elements_ = false;
};

}  // namespace

MeshDescription parse_gmsh(std::string_view text, const std::string& name) { return GmshReader(text, name).read(); }

}  // namespace weir
