#include <fmt/format.h>

#include "miniapps/cli/lists.hpp"
#include "miniapps/cli/schema.hpp"
#include "miniapps/cli/verbs.hpp"
#include "solvers/registry.hpp"

namespace weir {

// weir completion bash: verbs, their options, and the words of `weir list`.
std::string completion_script(const Program& program, const std::vector<std::pair<std::string, std::string>>& options) {
  std::string verbs, of_verb, names, keys, methods;
  for (const auto& [verb, words] : options) {
    verbs += verb + " ";
    of_verb += fmt::format("    {}) words=\"{}\" ;;\n", verb, words);
  }
  for (const NamedList& list : lists()) names += std::string(list.name) + " ";
  const Schema schema(program);
  for (const DescribedTable& t : schema.tables())
    for (const Option& o : t.keys) keys += DescribedKey{&t, &o}.path() + " ";
  for (const KrylovDescription* m : krylov_methods()) {
    methods += std::string(m->name) + " ";
    if (m->takes_preconditioner)
      for (const PreconditionerDescription* p : preconditioners())
        if (is_made_of_defaults(*p)) methods += fmt::format("{}+{} ", m->name, p->name);
  }
  return fmt::format(R"(# Completion of weir for bash: source <(weir completion bash)
_weir() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=""
  case ${{COMP_WORDS[1]}} in
{}  esac
  [ "$COMP_CWORD" -gt 1 ] || words="{}"
  case $previous in
    list) words="{}" ;;
    explain | --unset) words="{}" ;;
    completion) words="bash" ;;
    --space) words="host device auto" ;;
    --solver) words="{}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ "${{#COMPREPLY[@]}}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}}
complete -o filenames -F _weir weir ./weir
)",
                     of_verb, verbs, names, keys, methods);
}

}  // namespace weir
