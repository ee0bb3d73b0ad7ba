"""Identifiers of a machine, board or network: unique ids, IP, MAC and InfiniBand addresses, e-mail. Pure.

A version of four numbers is not an address: "jaxlib 0.9.0.1", "470.223.02.1".
"""

import re
from collections.abc import Callable
from typing import Final

from accel.apps.privacy.near import replaced
from accel.apps.privacy.tables import pattern, word_list

Named = Callable[[str, str], str]  # from a value and its kind to the replacement

_ZEROS: Final = re.compile(r"(?:[A-Z]{3}-)?[0-]{8,60}")  # of a device that has none
_SID: Final = re.compile(r"(?<=\bS-1-5-21-)\d{4,10}(?:-\d{4,10}){2}")
_DUID: Final = re.compile(r"(?<![0-9A-Za-z-])[0-9A-F]{2}(?:-[0-9A-F]{2}){9,19}(?![0-9A-Za-z-])")
_IPV4: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
_LARGE: Final = 30  # a driver's version has one number this large, other versions have none
_BRIDGE: Final = "172.17.0."  # Docker's own network, the same everywhere
_JOINED: Final = frozenset(".0123456789")  # before a number with more digits, or with more numbers
_LOOK_BACK: Final = 60  # characters


def without_addresses(text: str, named: Named) -> str:
    """Return the text with each identifier replaced by the result of `named`."""
    text = pattern("uuid").sub(
        lambda m: (
            m[0]
            if _ZEROS.fullmatch(m[0])
            else f"{m['label']}-{named(m[0], 'uuid').removeprefix(m['label'] + '-')}"
            if m["label"]
            else named(m[0], "uuid")
        ),
        text,
    )
    text = pattern("container").sub(lambda m: named(m[0], "container-id"), text)
    text = replaced(pattern("short_container"), ("container", "docker"), lambda m: named(m[0], "container-id"), text)
    if "S-1-5-21-" in text:
        text = _SID.sub(lambda m: named(m[0], "sid"), text)
    text = _DUID.sub(lambda m: named(m[0], "mac"), text)
    text = replaced(pattern("email"), ("@", "[at]", "(at)"), lambda m: named(m[0], "email"), text)
    text = replaced(pattern("cloud"), word_list("cloud_words"), lambda m: named(m[0], "cloud"), text)
    text = replaced(
        pattern("guid"), ("guid", "gid", "lid mask"), lambda m: f"{m['key']}{named(m['value'], 'guid')}", text
    )
    text = pattern("mac").sub(lambda m: m[0] if m[0] in word_list("no_addresses") else named(m[0], "mac"), text)
    if ":" in text:
        text = pattern("ipv6").sub(lambda m: named(m[0], "ip") if _is_ipv6(m[0]) else m[0], text)
    return _IPV4.sub(lambda m: _stand_in(m[0], named) if _is_ipv4(m) else m[0], text)


def _stand_in(address: str, named: Named) -> str:
    """Return the replacement for an IPv4 address; for Docker's bridge, its network, so that it stays recognisable."""
    return f"{_BRIDGE}0" if address.startswith(_BRIDGE) else named(address, "ip")


def _is_ipv6(text: str) -> bool:
    """Return whether it is an IPv6 address: with "::" or all eight groups, and neither a time nor a PCI address."""
    if text in word_list("no_addresses"):
        return False
    return any(c in "abcdefABCDEF" for c in text) or text.count(":") == 7 or ("::" in text and len(text) > 4)


def _is_ipv4(match: "re.Match[str]") -> bool:
    found, text = match[0], match.string
    if text[max(0, match.start() - 1) : match.start()] in _JOINED or any(int(part) > 255 for part in found.split(".")):
        return False
    if found in word_list("no_addresses") or found.startswith("0."):
        return False
    if any(len(part) > 1 and part[0] == "0" for part in found.split(".")):
        return False
    after = text[match.end() : match.end() + 8]
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if re.match(r"(?::\d{2,5}\b|/\d{1,2}\b|%\w|<\d{1,5}>)", after) or pattern("address_before").search(before):
        return not before.endswith(("==", ">=", "<=", "~=", "!="))
    if re.match(r"(?:[A-Za-z_+]|\.(?:dev|post|whl|tar|zip|run|so|dll|dist-info|egg-info)|-(?:py|cp|linux|\d))", after):
        return False
    if before.endswith(("==", ">=", "<=", "~=", "!=", "=", "-", "_", "+")) and not pattern("private_address").match(
        found
    ):
        return False
    if pattern("private_address").match(found):
        return not pattern("package_before").search(before)
    return (_is_spread(found) and not pattern("version_word_before").search(before)) or not pattern(
        "version_before"
    ).search(before)


def _is_spread(address: str) -> bool:
    """Return whether its numbers are larger than those of versions."""
    parts = [int(part) for part in address.split(".")]
    return parts[0] >= _LARGE and sum(part >= _LARGE for part in parts) > 1
