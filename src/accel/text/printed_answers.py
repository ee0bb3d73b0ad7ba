"""Put each value that one line of Python printed behind the expression that it answers. Pure.

>>> print(torch.__version__, torch.cuda.is_available())        print: values with blanks between them
2.1.0 False
>>> torch.version.cuda, torch.cuda.get_device_capability()     the prompt: a tuple, in brackets
('12.4', (12, 0))
In [3]: torch.__version__, torch.version.cuda                  IPython, and the cells of a notebook
Out[3]: ('2.6.0', '12.4')
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.text.pattern import pattern

_PRINT: Final = pattern(r"\bprint\((?P<asked>[^\n]{3,300})\)[\"']{0,3}[ \t;]{0,4}$")
_PROMPT: Final = pattern(r"^[ \t]{0,8}(?:>>>|In \[\d{1,4}\]:)[ \t]{0,4}(?P<asked>[A-Za-z_][^\n=]{2,300})$")
_OUT: Final = pattern(r"^[ \t]{0,8}(?:Out\[\d{1,4}\]:)?[ \t]{0,8}")
_LOG: Final = pattern(r"[IWEF] \S{1,200}:\d{1,6}\]|WARNING:|\s{0,99}$", exact_case=True)  # without its time
_LOGGED: Final = 12  # maximum log lines before an answer
_WRAPPED: Final = 6  # maximum lines of a tuple
_OPENS: Final = "([{"
_CLOSES: Final = ")]}"


def with_answers_apart(text: str) -> str:
    """Return the text, with the same number of lines, in which each of several values follows its own expression."""
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1]):
        if "," not in line:
            continue
        if "print(" in line and (found := _PRINT.search(line)):
            asked = [part.strip() for part in _split(found["asked"], ",")]
            later = range(number + 1, min(number + 1 + _LOGGED, len(lines)))
            at = next((n for n in later if not _LOG.match(lines[n])), number + 1)  # TensorFlow logs before it answers
            values, answered = _printed(asked, list(_split(lines[at], " "))), range(at, at + 1)
        elif (">>>" in line or "In [" in line) and (found := _PROMPT.match(line)):
            asked = [part.strip() for part in _split(found["asked"], ",")]
            values, answered = _shown(lines, number + 1)
        else:
            continue
        if len(asked) > 1 and len(values) == len(asked) and values[-1]:
            together = (f"{part} = {value}" for part, value in zip(asked, values, strict=True) if part[0] not in "\"'")
            lines[number] = line[: found.start("asked")] + "; ".join(together)
            for at in answered:
                lines[at] = ""
    return "\n".join(lines)


def _printed(asked: Sequence[str], words: list[str]) -> list[str]:
    """Return what print wrote for each expression; a device's name takes the words that are left over."""
    wanted = [len(part.strip("\"'").split()) if part[:1] in "\"'" else 1 for part in asked]
    names = [n for n, part in enumerate(asked) if "name" in part and part[:1] not in "\"'"]
    if len(words) > sum(wanted) and len(names) == 1:
        wanted[names[0]] += len(words) - sum(wanted)
    if len(words) != sum(wanted):
        return []
    values = []
    for many in wanted:
        values.append(" ".join(words[:many]))
        words = words[many:]
    return values


def _shown(lines: Sequence[str], begin: int) -> tuple[list[str], range]:
    """Return the parts of the tuple that begins on a line, and its lines; none if there is no whole tuple."""
    tuple_ = ""
    for at in range(begin, min(begin + _WRAPPED, len(lines))):
        tuple_ += (" " + lines[at].strip()) if tuple_ else _OUT.sub("", lines[at], 1).rstrip()
        if not tuple_.startswith("("):
            break
        if _depth(tuple_) == 0:
            return [part.strip() for part in _split(tuple_[1:-1], ",")], range(begin, at + 1)
    return [], range(0)


def _depth(text: str) -> int:
    return sum(text.count(one) for one in _OPENS) - sum(text.count(one) for one in _CLOSES)


def _split(text: str, at: str) -> Iterator[str]:
    """Yield the parts between separators that are in no brackets; no empty ones."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter in _OPENS) - (letter in _CLOSES)
        if letter == at and depth <= 0:
            if part.strip():
                yield part
            part = ""
        else:
            part += letter
    if part.strip():
        yield part
