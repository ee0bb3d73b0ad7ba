"""Recognise where a text sets an environment variable, which determines how to unset it.

    CUDA_VISIBLE_DEVICES=0 ./demo.py              prefix     before one command
    docker run -e CUDA_VISIBLE_DEVICES=0 IMAGE    container  an option when the container is started
    environment: / - CUDA_VISIBLE_DEVICES=0       compose    a compose file
    - name: CUDA_VISIBLE_DEVICES / value: "0"     pod        a pod's specification
    ENV CUDA_VISIBLE_DEVICES=0                    image      a Dockerfile
    Environment=CUDA_VISIBLE_DEVICES=0            unit       a systemd unit
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"      python     the program
    %env CUDA_VISIBLE_DEVICES=0                   cell       a notebook
    setx CUDA_VISIBLE_DEVICES 0                   windows    the Windows account
    echo 'export …' >> ~/.bashrc                  profile    a file that each shell reads

An `export` in the shell is not reported, because `unset` is enough there. The last place in the text counts.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.environment_variables import NAMES
from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

FACT: Final = "variable-set-at"
_STARTED: Final = r"(?:python3?|torchrun|accelerate|bash|sh|ollama|\.{1,2}/[\w./-]{1,60}|llama-[a-z]{2,20}) "
_NAME: Final = pattern(rf"(?<!\w){NAMES}(?![A-Za-z0-9_])", exact_case=True)
_PROSE: Final = (  # words of a sentence that are not names of commands
    r"(?:in|on|is|are|was|and|or|to|for|with|as|which|when|where|while|from|by|the|at|but|so|then|inside|within)\b"
)
# The text before a name, up to it, and after it: the first pattern that matches gives the place.
_BEFORE_AND_BEHIND: Final = tuple(
    (how, pattern(f"(?:{before})$", exact_case=True), pattern(behind, exact_case=True))
    for how, before, behind in (
        ("profile", r"", r"=[^>\n]{0,200}>>\s?~/\.(?:bashrc|profile|zshrc|bash_profile|zprofile)"),
        ("container", r"(?:\s|^)(?:-e|--env)[= ][\"']?", "="),
        ("unit", r"(?<![#\w])Environment=[\"']?", "="),
        ("image", r"^ {0,8}ENV ", r"[ =]\S"),
        ("cell", r"^ {0,8}%(?:set_)?env ", r"[ =]\S"),
        ("python", r"os\.(?:environ(?:\.setdefault\(|\[)\s?|putenv\()[\"']", r"[\"'](?:\]\s?=[^=]|,)"),
        ("windows", r"\bsetx ", r"\s"),
        ("pod", r"^ {0,40}-? {0,4}name: [\"']?", r"[\"']?[, ]{0,60}value:"),
        ("compose", r"^ {1,40}(?:- [\"']?)?", r"=|: "),
        # "I start it by A=1 python main.py"
        ("prefix", r"(?<=[a-z])(?<!\bset)(?<!\bexport) ", rf"=[^\s`;&]{{1,120}} {_STARTED}"),
        (
            "prefix",
            r"(?:^ {0,8}|[`;&$#>(] ?)(?:sudo )?(?:[A-Z][A-Z0-9_]{1,60}=[^ ]{0,120} ){0,9}",
            r"=[^\s`;&]{0,120} (?:[A-Z][A-Z0-9_]{1,60}=[^ ]{0,120} ){0,9}"
            rf"(?:\.{{0,2}}/|~/|(?!{_PROSE})[a-z][\w.-]{{1,30}}(?:$|[ /.`]))",
        ),
    )
)
_DONE: Final = pattern(r"(?:[\w.-]{2,20} )?(?:-V|-v|--version)\b|python3? (?:-V|--version)|[A-Z][A-Z0-9_]{2,60}=")
_REACH: Final = 400  # characters before a name to inspect
_MOST: Final = 100
_LONGEST: Final = 2000


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each variable once, with the place where it is set."""
    last: dict[str, tuple[str, int]] = {}
    for count, found in enumerate(_NAME.finditer(page.text)):
        if count >= _MOST:
            break
        number = page.words.line_at(found.start())
        line = page.lines[number - 1]
        begin = found.start() - (page.text.rfind("\n", 0, found.start()) + 1)
        below = page.lines[number] if number < len(page.lines) else ""
        behind = f"{line[begin + len(found[0]) :]} {'' if _DONE.match(below) else below}"
        how = _place(line[:begin], behind) if len(line) <= _LONGEST else None
        if how is not None and (how != "compose" or "environment:" in page.text):
            last[found[0]] = how, number
    for name, (how, number) in last.items():
        yield Noted(fact=FACT, values=(("name", name), ("how", how)), **page.on_line(number))


def _place(before: str, behind: str) -> str | None:
    lead = before[-_REACH:].replace("\t", " ")
    return next((how for how, form, rest in _BEFORE_AND_BEHIND if rest.match(behind) and form.search(lead)), None)
