r"""Expand a dictionary that Python printed on one line, such as collect_env() of mmcv and others in a log or a report.

{'sys.platform': 'linux', 'CUDA available': True, 'PyTorch': '1.8.1', 'PyTorch compiling details': 'PyTorch built
with:\n  - GCC 7.3\n  - CUDA Runtime 10.2\n'}
"""

from typing import Final

from accel.text.pattern import pattern

_FEWEST: Final = 4  # pairs; fewer are an argument or a message
_LONGEST: Final = 20_000  # characters
_PAIR: Final = pattern(
    r"'(?P<key>[\w ./,-]{1,60})': (?:'(?P<text>(?:[^'\\\n]|\\.){0,6000})'|(?P<word>[\w.]{1,40}))", exact_case=True
)


def with_printed_dicts(text: str) -> str:
    """Append a "key: value" line for each pair of such a dictionary; existing lines keep their numbers."""
    if "': '" not in text:
        return text
    spread: list[str] = []
    for line in text.split("\n"):
        if line.lstrip()[:2] == "{'" and len(line) <= _LONGEST:
            pairs = list(_PAIR.finditer(line))
            if len(pairs) >= _FEWEST:
                spread += [f"{p['key']}: {p['text'] or p['word'] or ''}".replace(r"\n", "\n") for p in pairs]
    return "\n".join((text, *spread)) if spread else text
