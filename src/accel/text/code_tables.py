"""Find tables that explain error codes: what each of them means, not which of them occurred. Pure.

XID | Failure | HW Error          the heading says that a column explains
48 | Double Bit ECC Error | X     a code of its own in each row, in no sequence, each with another meaning
79 | GPU has fallen off the bus

A table of devices counts from 0, and a log repeats codes and has times, addresses and amounts.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from accel.text.pattern import pattern

_ROW: Final = pattern(
    r"[ \t]{0,8}(?:[-*•][ ]|\|[ ]{0,8})?[*`]{0,2}(?:(?:xid|code|error|错误码)[ ])?"
    r"(?P<code>\d{1,6}|0x[0-9a-f]{2,8}|[a-z]{1,3}\d{3,6})[*`]{0,2}"
    r"(?:[ ]{0,20}[|\t][ ]{0,20}|[ ]?[–—:：][ ]{0,8}|[ ]-[ ]|[ ]{2,20})(?P<meaning>[^\W\d][^\n|\t]{2,160})"
)
_RULE: Final = pattern(r"[ \t|:=+-]{3,200}$")
_OF_A_MACHINE: Final = pattern(  # a time, an address, an amount
    r"\d{1,2}:\d\d(?::\d\d|\.\d)|\b[\da-f]{4}:[\da-f]{2}:|\d ?(?:[KMG]i?B|%|°?C|W|ms)(?:\b|$)|\b\d{4}-\d\d-\d\d"
)
_EXPLAINS: Final = pattern(
    r"\b(?:meanings?|descriptions?|causes?|reasons?|failure|fix(?:es)?|remed(?:y|ies)|actions?|bedeutung|ursachen?"
    r"|signification|significado|causas?)\b|значение|причина|описание|含义|说明|原因|处理|意味|対処|의미|원인|설명"
)
_LETTERS: Final = pattern(r"[\W\d_]+")
_EXAMPLE: Final = pattern(
    r"[ \t(（*-]{0,6}(?:예시?|例|例えば|例如|示例|e\.?g|(?:for )?example|(?:zum )?beispiel|z\. ?b|(?:par )?exemple"
    r"|(?:por )?ejemplo|p\. ?ej|(?:por )?exemplo|пример|например)[.)）]{0,2}[ ]?(?:[:：)）]|(?<=[.)）])[ ])"
)
_USUAL: Final = pattern(  # "lines like this are logged"
    r"会(?:被)?(?:写进|写入|写到|记录|打印|显示|输出)|(?:ように|形で|形式で)[^\n]{0,12}(?:記録|表示|出力)|형태로|형식으로"
    r"|\b(?:is|are) (?:logged|printed|written|shown)\b|\bwird (?:so )?(?:protokolliert|ausgegeben|geschrieben)\b"
)
_FEWEST: Final = 4  # rows


def explaining_rows(lines: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """Yield the indices of the rows of such tables, and whether their heading says that they explain."""
    start = 0
    for end in range(len(lines) + 1):
        if end < len(lines) and (_ROW.match(lines[end]) or _RULE.match(lines[end])):
            continue
        if end - start >= _FEWEST and _explain(lines[start:end]):
            above = next((line for line in reversed(lines[max(0, start - 2) : start]) if line.strip()), "")
            headed = bool(_EXPLAINS.search(above))
            yield from ((number, headed) for number in range(start, end))
        start = end + 1


def _explain(lines: Sequence[str]) -> bool:
    rows = [found for line in lines if (found := _ROW.match(line))]
    codes = [found["code"].lower() for found in rows]
    meanings = {_LETTERS.sub("", found["meaning"]).lower() for found in rows}
    if len(rows) < _FEWEST or len(set(codes)) < len(rows) or len(meanings) < len(rows):
        return False
    counted = all(
        one.isdecimal() and other.isdecimal() and int(other) == int(one) + 1 for one, other in pairwise(codes)
    )
    return not counted and not any(_OF_A_MACHINE.search(line) for line in lines)


def example_marks(line: str) -> int:
    """Return how surely a line gives an example: 1 by its label, 2 if it also says that such lines are usual.

    >>> example_marks("例: Xid 79"), example_marks("e.g.: lines with Xid 79 are logged"), example_marks("Xid 79")
    (1, 2, 0)
    """
    return 0 if not _EXAMPLE.match(line) else 2 if _USUAL.search(line) else 1
