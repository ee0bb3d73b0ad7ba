"""Numbers that identify a person or an account: telephones, identity numbers, cards, bank accounts. Pure.

Byte counts must not match: 17179869184 starts like a Chinese telephone number.
"""

import re
from collections.abc import Callable
from typing import Final

from accel.apps.privacy.near import replaced, within
from accel.apps.privacy.tables import pattern, word_list

Named = Callable[[str, str], str]  # from a value and its kind to the replacement
_GLUED: Final = re.compile(r"(?<=[\u3040-\u9fff：])1[3-9]\d{9}(?!\d)")
_INTERNATIONAL: Final = re.compile(r"(?<![\w+.:/-])\+[1-9]\d{0,2}(?:[ -]?\(?\d{1,5}\)?){2,6}(?![\w:.]\w|\d)")
_LANDLINE: Final = re.compile(r"(?<![\w.-])(?:\(0\d{2,3}\) ?|0(?:10|2\d|[3-9]\d{2})-)\d{4}[ -]?\d{3,4}(?![\w.-])")
_CARD: Final = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_ISSUERS: Final = ("4", "51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "6", "34", "35", "37", "9")
_GROUPS: Final = ([4, 6, 5], [4, 4, 4, 1], [4, 4, 4, 2], [4, 4, 4, 3], [4, 4, 4, 4])
_IBAN: Final = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?(?![0-9A-Za-z])")
_SOCIAL: Final = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w.-])")
_PAGE: Final = 256  # byte counts are multiples of this
_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS: Final = "10X98765432"


def without_numbers(text: str, named: Named) -> str:
    """Return the text with each such number replaced by the result of `named`."""
    if not _HAS_DIGITS.search(text):
        return text
    text = replaced(
        pattern("labelled_id"),
        word_list("id_words"),
        lambda m: _group(m, named(m["value"], "id-number")) if _digits(m["value"]) >= 6 else m[0],
        text,
    )
    text = replaced(
        pattern("labelled_phone"),
        word_list("phone_words"),
        lambda m: _group(m, named(m["value"], "phone")) if _digits(m["value"]) >= 7 else m[0],
        text,
    )
    return within(pattern("long_number"), lambda lines: _without_forms(lines, named), text)


def _without_forms(text: str, named: Named) -> str:
    text = pattern("identity_number").sub(lambda m: named(m[0], "id-number") if is_identity(m[0]) else m[0], text)
    text = _IBAN.sub(lambda m: named(m[0], "account-number") if is_iban(m[0]) else m[0], text)
    text = _CARD.sub(lambda m: named(m[0], "card") if is_card(m[0]) and not _is_amount(m) else m[0], text)
    text = _SOCIAL.sub(lambda m: named(m[0], "id-number"), text)
    text = pattern("mobile_phone").sub(lambda m: m[0] if _is_amount(m) else named(m[0], "phone"), text)
    text = _GLUED.sub(lambda m: named(m[0], "phone"), text)
    text = pattern("national_phone").sub(lambda m: named(m[0], "phone"), text)
    text = _LANDLINE.sub(lambda m: named(m[0], "phone"), text)
    if "+" in text:
        text = _INTERNATIONAL.sub(lambda m: named(m[0], "phone") if 8 <= _digits(m[0]) <= 15 else m[0], text)
    return text


_HAS_DIGITS: Final = re.compile(r"\d(?:[ /().-]?\d){5}")


def is_identity(number: str) -> bool:
    """Return whether the check digit of a Chinese identity number is correct.

    >>> is_identity("11010519491231002X"), is_identity("110105194912310021")
    (True, False)
    """
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return _CHECKS[total % 11] == number[-1].upper()


def is_card(number: str) -> bool:
    """Return whether a number has an issuer's prefix, a card's grouping, and a correct check digit (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111111111111112")
    (True, False)
    """
    groups = number.replace("-", " ").split(" ")
    mixed = " " in number and "-" in number
    if (
        mixed
        or not number.startswith(_ISSUERS)
        or not (len(groups) == 1 or [len(one) for one in groups][:4] in _GROUPS)
    ):
        return False
    digits = [int(c) for c in number if c.isdecimal()]
    doubled = [d if place % 2 == 0 else sum(divmod(2 * d, 10)) for place, d in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and sum(doubled) % 10 == 0


def is_iban(number: str) -> bool:
    """Return whether the check digits of an international bank account number are correct.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88370400440532013000")
    (True, False)
    """
    bare = number.replace(" ", "")
    return 15 <= len(bare) <= 34 and int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


def _is_amount(match: "re.Match[str]") -> bool:
    """Return whether a bare number is an amount of bytes or time, or a memory address."""
    text = match.string
    if not match[0].isdecimal():
        return False
    before = text[max(0, match.start() - 24) : match.start()]
    return (
        int(match[0]) % _PAGE == 0
        or pattern("unit_after").match(text, match.end()) is not None
        or pattern("amount_before").search(before) is not None
    )


def _group(match: "re.Match[str]", new: str) -> str:
    begin, end = (place - match.start() for place in match.span("value"))
    return match[0][:begin] + new + match[0][end:]


def _digits(text: str) -> int:
    return sum(c.isdecimal() for c in text)
