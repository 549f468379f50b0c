"""The command `learnac completion`: scripts that let a shell ask `learnac --complete` what may come next."""

from __future__ import annotations

from typing import Annotated, Literal

from learnac.cli import query_options as options
from learnac.cli.command import Argument

EXAMPLE = "learnac completion bash >> ~/.bashrc"

_BASH = """\
_learnac() {
    local line is_first=1
    COMPREPLY=()
    while IFS= read -r line; do
        if [ -n "$is_first" ]; then
            is_first=
            [ "$line" = nospace ] && type compopt >/dev/null 2>&1 && compopt -o nospace
        else
            COMPREPLY+=("$line")
        fi
    done < <("$1" --complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _learnac learnac"""

_ZSH = """\
#compdef learnac
_learnac() {
    local line folder asked="${(Q)PREFIX}"
    local -a whole begun
    if [[ -z "$QIPREFIX" && "$PREFIX" == '~'*/* ]]; then
        compset -P '*/'
        folder="${(Q)IPREFIX}"
    fi
    for line in "${(@f)$("${words[1]}" --complete words "${(@Q)words[2,CURRENT-1]}" "$asked" 2>/dev/null)}"; do
        line="${${line%%$'\\t'*}#"$folder"}"
        case "$line" in
            "") ;;
            *[=/,]) begun+=("$line") ;;
            *) whole+=("$line") ;;
        esac
    done
    compadd -- "${whole[@]}"
    compadd -S "" -- "${begun[@]}"
}
if [ "$funcstack[1]" = _learnac ]; then _learnac "$@"; else compdef _learnac learnac; fi"""

_FISH = """\
function __learnac_complete
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l typed (commandline -ct)
    set -l current (string unescape -- "$typed"; or string unescape -- "$typed'"; or string unescape -- "$typed\\"")
    learnac --complete words $tokens "$current" 2>/dev/null
end
complete -c learnac -f -a '(__learnac_complete)'"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Argument(metavar="SHELL", about="The shell: bash, zsh or fish.")],
    *,
    debug: options.Debug = False,
) -> None:
    """Print a script for your shell, so that Tab completes commands, options and names.

    bash: learnac completion bash >> ~/.bashrc

    zsh: learnac completion zsh >> ~/.zshrc (after the line with compinit)

    fish: learnac completion fish > ~/.config/fish/completions/learnac.fish
    """
    print(_SCRIPTS[shell])
