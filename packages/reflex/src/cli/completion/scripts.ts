/** The shells for which there is a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/*
 * Each script calls the command that is being typed, so that its candidates always belong to that version. The output
 * has one line for each candidate: the word, a tab, its description. Without output the shell completes file names.
 */

const BASH = `# reflex completion bash: add this line to ~/.bashrc
#   source <(reflex completion bash)
_reflex_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _reflex_complete reflex
`

const ZSH = `#compdef reflex
# reflex completion zsh: add this line to ~/.zshrc, after compinit
#   source <(reflex completion zsh)
_reflex() {
  local line
  local -a found shown
  for line in "\${(@f)$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    found+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done
  if (( \${#found} )); then
    compadd -l -d shown -a found
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _reflex ]]; then
  _reflex "$@"
else
  compdef _reflex reflex
fi
`

const FISH = `# reflex completion fish: add this line to ~/.config/fish/config.fish
#   reflex completion fish | source
function __reflex_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l command $words[1]
  set -e words[1]
  set -l found ($command completion fish -- $words "$last" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$last"
  end
end
complete -c reflex -f -a '(__reflex_complete)'
`

/** The scripts that complete the command, by shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
