"""`floe completion`."""

import argparse
from collections.abc import Iterator
from importlib import import_module

from floe.cli.main import COMMANDS

_BASH = """_floe() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{commands} --help --version"; else
    case "$command" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -z "$words" ] || [[ "$current" != -* && "$COMP_CWORD" -gt 1 ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _floe floe
"""

EXAMPLES = (
    "source <(floe completion bash)",
    "floe completion fish | source",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell to write the script for")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the shell's completion script."""
    match options.shell:
        case "fish":
            print(_fish())
        case "zsh":
            print("autoload -U +X bashcompinit && bashcompinit\n" + _bash())
        case _:
            print(_bash())
    return 0


def _options() -> dict[str, list[tuple[str, str]]]:
    """Each command's options with their help, from its own parser."""
    found = {}
    for name in COMMANDS:
        parser = argparse.ArgumentParser(add_help=True)
        import_module(f"floe.cli.{name}").add_arguments(parser)
        found[name] = list(dict(_words(parser)).items())
    return found


def _words(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """The options of a parser, its verbs, and theirs."""
    for action in parser._actions:
        yield from ((word, str(action.help or "")) for word in action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            yield from (
                (choices_action.dest, str(choices_action.help or "")) for choices_action in action._choices_actions
            )
            for below in action.choices.values():
                yield from _words(below)


def _bash() -> str:
    cases = "\n".join(
        f'      {name}) words="{" ".join(word for word, _ in words)}" ;;' for name, words in _options().items()
    )
    return _BASH.format(commands=" ".join(COMMANDS), cases=cases)


def _fish() -> str:
    lines = [
        f"complete -c floe -n __fish_use_subcommand -a {name} -d '{_plain(purpose)}'"
        for name, purpose in COMMANDS.items()
    ]
    for name, words in _options().items():
        for word, purpose in words:
            if word.startswith("--") or not word.startswith("-"):
                seen = f"__fish_seen_subcommand_from {name}"
                lines.append(f"complete -c floe -n '{seen}' {_fish_word(word)} -d '{_plain(purpose)}'")
    return "\n".join(lines)


def _fish_word(word: str) -> str:
    return f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"


def _plain(text: str) -> str:
    return text.replace("'", "").replace("%%", "%")
