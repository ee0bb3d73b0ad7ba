"""People and machines named in prose: introductions, greetings, closings of letters, mentions. Pure.

Hi, I'm Jane Doe and …      Best regards,      cc @jdoe      ich heiße Jane      我叫王小明      the box is called x
                            Jane
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from accel.apps.privacy.near import Lines
from accel.apps.privacy.tables import tables, word_list

Span = tuple[int, int, str]
_WITH_CAPITALS: Final = ("Mc", "Mac", "O'", "O’", "D'", "De", "La", "Le", "Di", "Van", "Fitz")
_SENTENCE_ENDINGS: Final = ("ing", "ed", "ly", "ers", "'s", "’s", "n't")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_LONGEST_HAN: Final = 4
_SHORTEST: Final = 2  # letters of a name


def people(lines: Lines) -> Iterator[Span]:
    """Yield (begin, end, kind) of each name; the kind is "user" or "host"."""
    for row in tables().people:
        for match in lines.found(row.form, row.near):
            for group in row.form.groupindex:
                begin, end = match.span(group)
                if begin < 0:
                    continue
                if group == "person":
                    end = begin + _length_of_name(match[group], any_case=row.any_case)
                elif not _is_name_of(match[group], group):
                    continue
                if end > begin:
                    yield begin, end, "host" if group == "host" else "user"


def is_common(word: str) -> bool:
    """Return whether a name is also a common word, so that it must not be hidden everywhere."""
    low = word.lower()
    return low in word_list("no_persons") or low in word_list("service_names")


def is_no_person(word: str) -> bool:
    """Return whether a word is no person's name: a product's, or another word in a name's place."""
    return word.lower().strip(".'’") in word_list("no_persons")


def _length_of_name(words: str, *, any_case: bool) -> int:
    """Return the number of characters that form a name: up to the first word that is not part of one."""
    length = 0
    parts = words.split(" ")
    for place, word in enumerate(parts):
        initial = len(word) == 2 and word[1] == "." and word[0].isupper() and len(parts) > 1
        if not (initial or _is_part(word, any_case=any_case) or (place and word in word_list("name_particles"))):
            break
        length += len(word) + (1 if place else 0)
    name = words[:length]
    while name.rpartition(" ")[2] in word_list("name_particles"):
        name = name.rpartition(" ")[0]
    return len(name) if len(name) >= _SHORTEST else 0


def _is_part(word: str, *, any_case: bool) -> bool:
    if is_no_person(word) or is_no_person(word.partition("-")[0]) or any(c.isdecimal() or c == "_" for c in word):
        return False
    if _HAN.match(word):
        return word[0] in tables().family_names and _SHORTEST <= len(word) <= _LONGEST_HAN
    if not word[0].isupper():
        return any_case and ((word[0].isalpha() and not word.isascii()) or not word.endswith(_SENTENCE_ENDINGS))
    inner = word[1:].replace("-", "")
    if len(word) == 2 and word[1] == ".":
        return True
    return not any(c.isupper() for c in inner) or (
        word.startswith(_WITH_CAPITALS) or any(a in "-'’" for a, b in pairwise(word) if b.isupper())
    )


def _is_name_of(name: str, group: str) -> bool:
    table = tables()
    if group == "family":
        return name[0] in table.family_names and len(name) > 1
    if group == "host":
        return any(map(str.isalpha, name)) and not is_no_person(name) and name.lower() not in word_list("stock_names")
    return not is_no_person(name) and name.lower() not in word_list("stock_names")
