"""Recognise errors by number or name in any wording: "Error 802", "error=46", "cudaErrorSystemNotReady".

802 system error, 错误码 100002, Fehlercode 802        the number may precede the word, in any language
CUDA 802                                            or follow only the library's name, in a line about trouble
ret is -8005                                        or have a sign
80E18402, 0x80E18402                                fault codes of eight hexadecimal digits, which need no word

A number counts only next to a word that announces an error, and only if a nearby word, on its line or shortly before,
says whose number it is. That word is not needed if the number occurs in only one domain.
"""

import builtins
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import ErrorSeen
from accel.specs.errors import plain_code

_ANNOUNCING: Final = frozenset(
    (
        *("error", "errors", "err", "errno", "errcode", "code", "status", "ret", "rc", "retcode", "retval", "returned"),
        *("return", "returns", "result", "failure", "failed", "winerror", "errorcode", "error_code", "ret_code"),
        *("exit", "exited", "exits", "exitcode", "exit_code", "returncode", "exitstatus"),
        *("fehler", "fehlercode", "erreur", "código", "codigo", "erro", "ошибка", "ошибки", "ошибку", "код"),
    )
)
_ANNOUNCING_ENDS: Final = (
    *(
        "错误",
        "错误码",
        "错误代码",
        "错误号",
        "报错",
        "报错码",
        "返回码",
        "返回值",
        "错误码为",
        "错误代码为",
        "错误码是",
        "錯誤",
        "錯誤碼",
        "エラー",
        "エラーコード",
    ),
    *("エラー番号", "에러", "오류", "에러코드", "오류코드", "오류 코드", "에러 코드"),
)
_ANNOUNCING_STARTS: Final = ("错误", "报错", "錯誤", "エラー", "에러", "오류")  # text after it
_OF_PYTHON: Final = frozenset(name.lower() for name in dir(builtins) if name.endswith("Error"))
_FOLLOWED: Final = frozenset(("error", "fehler", "erreur", "erro", "ошибка"))
_KIND_OF_ERROR: Final = frozenset(("system", "runtime", "driver", "initialization", "init"))  # "802 system error"
_SHORTEST_BEFORE: Final = 3  # digits of a number before its word: "2 errors" are two
_UNANNOUNCED: Final = 200  # smaller numbers after only a library's name are versions: "CUDA 118"
_GLUED: Final = ("at", "in", "on")  # "error = 999at main.cu:196": words that programs print without a blank before them
_FILLING: Final = frozenset(("is", "was", "of", "no", "number", "with", "the", "value", "code", "status", "a", "num"))
_MOST_FILLING: Final = 3
_ONLY_FAILED: Final = ("1", "2", "101")  # of a panic in Rust
_EXITS: Final = frozenset(("exit", "exited", "exits", "exitcode", "exit_code", "returncode", "exitstatus"))
_MAKES: Final = frozenset(("make", "gmake", "nmake", "mingw32-make"))
_LOOK_BACK: Final = 25  # words before a number to search for its domain's word
_LOOK_AHEAD: Final = 12
_MOST: Final = 200
_FAULT_DIGITS: Final = 8
_ENDED: Final = ("0", "recover", "recovered", "resume")
_MOST_FAULTS: Final = 24  # maximum different fault codes per text: with more it is a configuration or a manual


def recognise(page: Page) -> Iterator[ErrorSeen]:
    """Yield each error once per line that contains it."""
    seen: set[tuple[str, str, int]] = set()
    for domain, code, start, end in (*_named(page), *_numbered(page)):
        place = page.placed(start, end)
        if (domain, code, place["line"]) not in seen and len(seen) < _MOST:
            seen.add((domain, code, place["line"]))
            yield ErrorSeen(domain=domain, code=code, **place)


def _named(page: Page) -> Iterator[tuple[str, str, int, int]]:
    words, errors = page.words, page.specs.errors
    for word, places in words.places.items():
        found = errors.named(word) if "_" in word or len(word) > 8 or _is_lettered(word) else None
        if found:
            for number in places:
                yield *found, words.starts[number], words.ends[number]


def _is_lettered(word: str) -> bool:
    """Return whether a word is letters followed by at least four digits: "ej0003"."""
    return len(word) > 4 and word[-4:].isdecimal() and word[0].isalpha()


def _numbered(page: Page) -> Iterator[tuple[str, str, int, int]]:
    words = page.words
    near: dict[str, frozenset[str]] = {}
    for number, word in enumerate(words.words):
        if (not (word[0].isdecimal() and word.isascii()) and len(word) != _FAULT_DIGITS) or len(word) > 12:
            continue
        code = _code(page, number)
        if code is None or _is_of_process(words.words, number, code) or _is_count(words.words, number, code):
            continue
        if not code.lstrip("-").isdecimal() and page.specs.errors.is_fault(code):
            domain = _of_fault(page, number, code, near)
        elif (
            (_announced(words.words, number) and "====" not in page.text[words.ends[number - 1] : words.starts[number]])
            or _before_its_call(page, number)
            or _announced_in_prose(page, number, code)
        ):
            domain = _domain(page, number, code, near)
        else:
            domain = _after_its_library(page, number, code)
        if domain:
            yield domain, code, words.starts[number], words.ends[number]


def _code(page: Page, number: int) -> str | None:
    """Return a word as a code with its sign; None if it is part of a version or another word."""
    words = page.words
    word, start, end = words.words[number], words.starts[number], words.ends[number]
    text = page.text
    if text[end : end + 1] == "." and text[end + 1 : end + 2].isdecimal():
        return None
    if start >= 2 and text[start - 1] == "." and text[start - 2].isdecimal():
        return None
    if not word.isdecimal() and word.endswith(_GLUED) and word[:-2].isdecimal():
        word = word[:-2]
    negative = start and text[start - 1] == "-" and (start == 1 or text[start - 2] in " =:([\t\n")
    if (fault := plain_code(word)) is not None and not fault.isdecimal():
        listed = text[start - 1 : start] not in ("-", ".") and text[end : end + 1] != "-"  # not a part of a UUID
        return fault if listed and page.specs.errors.is_fault(fault) else word if word.startswith("0x") else None
    if word.startswith("0x"):
        return word if all(c in "0123456789abcdef" for c in word[2:]) else None
    return f"-{word}" if word.isdecimal() and negative else word if word.isdecimal() else None


def _of_fault(page: Page, number: int, code: str, near: dict[str, frozenset[str]]) -> str | None:
    """Return the domain of a fault code; listed codes need no word nearby, unless the text is a list of codes."""
    if _is_over(page.words.words[number + 1 : number + _LOOK_AHEAD]):
        return None
    listed = page.once("fault-codes", _fault_codes_listed)
    is_list = len(listed) > _MOST_FAULTS or any(word in page.words.places for word in page.specs.errors.fault_lists)
    return None if is_list else _domain(page, number, code, near)


def _is_over(following: list[str]) -> bool:
    """Return whether the driver says that the event ended: "event_id:0x80E01801, device id:3, assertion:0"."""
    return any(pair[0] == "assertion" and pair[1] in _ENDED for pair in pairwise(following))


def _fault_codes_listed(page: Page) -> Iterator[str]:
    errors = page.specs.errors
    for word in page.words.places:
        if (fault := plain_code(word)) is not None and not fault.isdecimal() and errors.is_fault(fault):
            yield fault


def _announced(words: list[str], number: int) -> bool:
    for back in range(1, _MOST_FILLING + 2):
        if number - back < 0:
            return False
        word = words[number - back]
        if word in _ANNOUNCING:
            return True
        if word not in _FILLING:
            return word.endswith(("error", "errno"))
    return False


def _announced_in_prose(page: Page, number: int, code: str) -> bool:
    """Return whether a word after a number of several digits, or joined to it, announces an error."""
    words, text = page.words, page.text
    before = text[max(0, words.starts[number] - 12) : words.starts[number]].rstrip(" :：=是为為[【(（")
    if before.endswith(_ANNOUNCING_ENDS):
        return True
    if len(code) < _SHORTEST_BEFORE:
        return False
    following = words.words[number + 1 : number + 3]
    if following[:1] and following[0] in _KIND_OF_ERROR:
        following = following[1:]
    ahead = text[words.ends[number] : words.ends[number] + 4].lstrip()
    return following[:1] != [] and (following[0] in _FOLLOWED or ahead.startswith(_ANNOUNCING_STARTS))


def _after_its_library(page: Page, number: int, code: str) -> str | None:
    """Return the domain of a number that follows only its library's name, "CUDA 802", in a line about trouble."""
    words, errors = page.words, page.specs.errors
    if not code.isdecimal() or int(code) < _UNANNOUNCED or not number:
        return None
    named = [
        one for one in errors.domains_of(code) if any(_is(form, words.words[number - 1]) for form in errors.near(one))
    ]
    between = page.text[words.ends[number - 1] : words.starts[number]]
    if not named or between.strip(" :#(") or not any(page.prose.mentions(words.line_at(words.starts[number]))):
        return None
    return None if named[0] in page.once("other-libraries", _ruled_out) else named[0]


def _ruled_out(page: Page) -> Iterator[str]:
    """Yield the domains that words of the text rule out, because another library has the same name."""
    errors, words = page.specs.errors, page.words.places
    for domain in errors.domains:
        if any(_is(form, word) for form in errors.unless(domain) for word in words):
            yield domain


def _before_its_call(page: Page, number: int) -> bool:
    """Return whether a wrapper prints the number in brackets before its call: "[802] Call to cuInit results in"."""
    words, place = page.words, page.words.starts[number]
    return page.text[place - 1 : place] == "[" and words.words[number + 1 : number + 3] == ["call", "to"]


def _is_of_process(words: list[str], number: int, code: str) -> bool:
    """Return whether the number is just an exit status: "exit status 1", "make[2]: *** [acc.cu.o] Error 1"."""
    if code not in _ONLY_FAILED:
        return False
    before = words[max(0, number - _MOST_FILLING - 1) : number]
    if words[number + 1 : number + 2] == ["exit"]:  # "collect2: error: ld returned 1 exit status"
        return True
    return not _EXITS.isdisjoint(before) or not _MAKES.isdisjoint(words[max(0, number - _LOOK_BACK) : number])


def _is_count(words: list[str], number: int, code: str) -> bool:
    """Return whether a number counts errors or tests: "2 errors detected", "2 failed, 39 passed"."""
    following = words[number + 1 : number + 5]
    return len(code) < _SHORTEST_BEFORE and (following[:1] in (["errors"], ["error"]) or "passed" in following)


def _domain(page: Page, number: int, code: str, near: dict[str, frozenset[str]]) -> str | None:
    """Return the domain of a number. near: the domains that each word so far makes a number belong to."""
    words, errors = page.words.words, page.specs.errors
    others = page.once("other-libraries", _ruled_out)
    domains = [one for one in errors.domains_of(code) if one not in others]
    if not domains:
        return None
    if words[number - 1] == "errno" and page.text[page.words.starts[number] - 7 :].startswith("[Errno "):
        return "errno" if "errno" in domains else None  # as Python writes it, in any context
    around = words[max(0, number - _LOOK_BACK) : number + _LOOK_AHEAD]
    for word in around:
        if word not in near:
            every = errors.domains
            near[word] = frozenset(one for one in every if any(_is(form, word) for form in errors.near(one)))
    last = words[number - 1]
    if last.endswith("error") and last not in _ANNOUNCING and last not in _OF_PYTHON:
        around = [last]  # "[ONNXRuntimeError] : 1": a number of what the exception is named after
    told = frozenset().union(*(near[word] for word in around))
    for domain in domains:
        if domain in told:
            return domain
    return next((domain for domain in domains if errors.alone(domain, code)), None)


def _is(near: str, word: str) -> bool:
    return word.startswith(near[:-1]) if near.endswith("*") else word == near
