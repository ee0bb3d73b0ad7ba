"""Compares versions of drivers and toolkits: "535.104.05", "12.1"."""

from typing import Final

from accel.text.pattern import pattern

_NUMBERS: Final = pattern(r"\d+(?:\.\d+)*")
_VARIANT: Final = pattern(r"cu(\d{1,2})(\d)(?:\D|$)", exact_case=True)


def parts(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version; () if it has none.

    >>> parts("535.104.05"), parts("12.1+cu121"), parts("unknown")
    ((535, 104, 5), (12, 1), ())
    """
    found = _NUMBERS.match(version.strip())
    return tuple(int(n) for n in found[0].split(".")) if found else ()


def older(version: str, than: str) -> bool:
    """Return whether a version is below another; False if they agree as far as both go.

    >>> older("470.86", "525.60.13"), older("450.80.02", "450.80"), older("535", "535.104")
    (True, False, False)
    """
    first, second = parts(version), parts(than)
    length = min(len(first), len(second))
    return first[:length] < second[:length]


def cuda_of_number(number: str) -> str | None:
    """Return the CUDA version that the driver's number encodes; None if invalid.

    >>> cuda_of_number("11040"), cuda_of_number("9000"), cuda_of_number("12")
    ('11.4', '9.0', None)
    """
    value = int(number) if number.isdecimal() else 0
    return f"{value // 1000}.{value % 1000 // 10}" if value >= 1000 else None


def cuda_of_variant(variant: str | None) -> str | None:
    """Return the CUDA version in a wheel's local version; None if there is none.

    >>> cuda_of_variant("cu121"), cuda_of_variant("cu92"), cuda_of_variant("cpu"), cuda_of_variant("cu12")
    ('12.1', '9.2', None, None)
    """
    found = _VARIANT.match(variant or "")
    return f"{found[1]}.{found[2]}" if found and int(found[1]) >= 6 else None
