"""Convert the questions and answers of a form to "key: value" lines. Pure.

### Operating system           **OS:** Windows 11           | Operating System | Windows 11 |

Windows                        - [x] Windows                OS / 操作系统：Ubuntu 22.04
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_HEADING: Final = pattern(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*)(?P<key>[^\n*#]{2,60}?)[ \t*:：#]{0,6}$", exact_case=True)
_BOLD: Final = pattern(
    r"[ \t>]{0,4}(?:[-*•][ \t]+)?(?:\*\*|__)(?P<key>[^\n*_:：]{2,60}?)[ \t]?"
    r"(?:[:：][ \t]?(?:\*\*|__)|(?:\*\*|__)[ \t]?[:：])[ \t]*(?P<value>[^\n]{1,120})$",
    exact_case=True,
)
_TWO_NAMES: Final = pattern(r"[ \t>*-]{0,6}(?P<key>[A-Za-z ]{2,40}/[^:：\n]{1,30})[:：][ \t]*(?P<value>[^\n]{1,120})$")
_TICKED: Final = pattern(r"[ \t]*[-*][ \t]\[[xX]\][ \t]+(?P<value>[^\n]{1,80})$", exact_case=True)
_UNTICKED: Final = pattern(r"[ \t]*[-*][ \t]\[[ ]?\]")
_BOX: Final = pattern(
    r"[ \t]{0,12}[-*+][ \t]\[(?P<mark>[ xX+*√✓✔]{0,6})\](?P<value>[ \t][^\n]{1,80})$", exact_case=True
)
_LONGEST: Final = 80  # characters of an answer: more is a description


def form_fields(text: str) -> str:
    """Return a form's answers as "key: value" lines. A key in two languages gives one line per language.

    >>> form_fields("### Operating system\\n\\nWindows\\n\\n### What happened\\n\\nIt fails.\\nIt hangs.")
    'Operating system: Windows'
    >>> form_fields("| OS / 操作系统 | Ubuntu 22.04 |")
    'OS: Ubuntu 22.04\\n操作系统: Ubuntu 22.04'
    """
    found = (*_headed(text.split("\n")), *_on_one_line(text))
    return "\n".join(f"{part.strip()}: {value}" for key, value in found for part in key.split("/") if part.strip())


def without_unticked(text: str) -> str:
    """Return the text without the words of unticked boxes, in lists in which another box is ticked.

    >>> without_unticked("- [ ] Linux\\n- [x] Windows\\n\\n- [ ] Try the newest driver")
    '- [ ]\\n- [x] Windows\\n\\n- [ ] Try the newest driver'
    """
    lines = text.split("\n")
    boxes = [_BOX.match(line) if "[" in line else None for line in lines]
    at = 0
    while at < len(lines):
        end = next((n for n in range(at, len(lines)) if boxes[n] is None), len(lines))
        ticked = any(box is not None and box["mark"].strip() for box in boxes[at:end])
        for number in range(at, end):
            box = boxes[number]
            if ticked and box is not None and not box["mark"].strip():
                lines[number] = lines[number][: box.start("value")]
        at = end + 1
    return "\n".join(lines)


def _on_one_line(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        if len(line) > 2 * _LONGEST:
            continue
        cells = [cell.strip("* \t") for cell in line.strip(" \t|").split("|")]
        if len(cells) == 2 and all(cells):
            yield cells[0], cells[1]
            continue
        told = _BOLD.match(line) or _TWO_NAMES.match(line)
        if told is not None:
            yield told["key"].strip("* "), told["value"].strip("* ")


def _headed(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each heading that is followed by a single short line, or by boxes of which one is ticked."""
    for number, line in enumerate(lines):
        heading = _HEADING.match(line) if len(line) <= _LONGEST else None
        if heading is None:
            continue
        block: list[str] = []
        for below in lines[number + 1 : number + 14]:
            if _HEADING.match(below):
                break
            block.append(below)
        answers = [one for one in block if one.strip() and not _UNTICKED.match(one)]
        if len(answers) != 1 or len(answers[0]) > _LONGEST:
            continue
        ticked = _TICKED.match(answers[0])
        yield heading["key"].strip(), (ticked["value"] if ticked else answers[0]).strip("` *")
