"""Values as NVIDIA's tools write them, turned into numbers in base units; None for every way of saying "not known".

Seen    "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]", "[GPU is lost]", "ERR!", "Not available in WDDM driver
        model", "Requested functionality has been deprecated", "[Insufficient Permissions]", "Unknown", ""
"""

import re
from typing import Final

from accel.text.pattern import pattern

MEBIBYTE: Final = 2**20
_UNKNOWN: Final = pattern(
    r"(?i)(?:-+|n/?a|err!|unknown(?: error)?|error|not (?:supported|available|found)\b.*|could not collect"
    r"|requested functionality.*|insufficient permissions?|gpu (?:is lost|requires reset)|function not found"
    r"|no permission\b.*|redacted|\?+|deprecated\b.*)?"
)
_NUMBER: Final = pattern(r"^\s*\[?(-?\d+(?:\.\d+)?)(?:\s*(?:%|['°]?\s?C|W|MHz|x|us|KB/s|bank\(s\)|MBytes))?\]?\s*$")
_MEMORY: Final = pattern(r"(?i)^\s*(\d+(?:\.\d+)?)(?:\s*(KiB|KB|MiB|MB|GiB|GB|B|bytes))?\s*$")
_SCALE: Final = {"kib": 2**10, "kb": 2**10, "mib": 2**20, "mb": 2**20, "gib": 2**30, "gb": 2**30, "b": 1, "bytes": 1}
_ADDRESS: Final = pattern(r"(?i)^(?:pci[:@])?(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?$")


def known(value: str | None) -> str | None:
    """Return the text itself; None where it is one of the tools' ways of saying that they do not know."""
    if value is None:
        return None
    value = value.strip()
    return None if _UNKNOWN.fullmatch(value.removeprefix("[").removesuffix("]").strip()) else value


def number(value: str | None) -> float | None:
    """Return a number without its unit.

    >>> number("53 C"), number("16x"), number("[N/A]")
    (53.0, 16.0, None)
    """
    found = _NUMBER.match(value or "")
    return float(found[1]) if found else None


def whole(value: str | None) -> int | None:
    """Return a count; None if it is not a whole number."""
    read = number(value)
    return int(read) if read is not None and read == int(read) else None


def mebibytes(value: str | None) -> int | None:
    """Return bytes of a memory size; without a unit it is MiB, as nvidia-smi's nounits prints. "MB" is binary here too.

    >>> mebibytes("81559 MiB"), mebibytes("15360"), mebibytes("N/A")
    (85520809984, 16106127360, None)
    """
    found = _MEMORY.match(value or "")
    return int(float(found[1]) * _SCALE[(found[2] or "mib").lower()]) if found else None


def flag(value: str | None) -> bool | None:
    """Return whether something is on: Enabled, Yes, On, Active against Disabled, No, Off, Not Active."""
    words = {"enabled": True, "yes": True, "on": True, "active": True, "1": True, "true": True}
    words |= {"disabled": False, "no": False, "off": False, "not active": False, "0": False, "false": False}
    return words.get((value or "").strip().lower())


def slug(value: str | None) -> str | None:
    """Return a word in lower case with hyphens: "Pass-Through" gives "pass-through", "In Progress" "in-progress"."""
    word = known(value)
    return re.sub(r"[\s_]+", "-", word.lower()) if word else None


def switch(value: str | None) -> str | None:
    """Return "enabled" or "disabled"; a star after it only says that a change is pending."""
    word = (value or "").strip(" *").lower()
    return word if word in ("enabled", "disabled") else None


def pci_address(value: str | None) -> str | None:
    """Return an address with a domain of four digits, in lower case; None if it is none.

    >>> pci_address("00000000:3B:00.0"), pci_address("3b:00.0"), pci_address("PCI:0000:3b:00")
    ('0000:3b:00.0', '0000:3b:00.0', '0000:3b:00.0')
    """
    found = _ADDRESS.match((value or "").strip())
    if not found:
        return None
    domain, bus, slot, function = found.groups()
    number_of_domain = int(domain or "0", 16)
    return f"{number_of_domain:04x}:{bus}:{slot}.{function or 0}".lower()


def pci_id(value: str | None) -> str | None:
    """Return "10de:2330" of the 0x233010DE that nvidia-smi prints."""
    found = re.match(r"(?i)^\s*(?:0x)?([0-9a-f]{4})([0-9a-f]{4})\s*$", value or "")
    return f"{found[2]}:{found[1]}".lower() if found else None


def version(value: str | None) -> str | None:
    """Return the version at the beginning of a value: "610.62 [Deprecated; …]" gives "610.62"."""
    found = re.match(r"\s*(\d+(?:\.\d+)+)", value or "")
    return found[1] if found else None


def compute_mode(value: str | None) -> str | None:
    """Return "default", "exclusive-process", "exclusive-thread" or "prohibited"."""
    word = re.sub(r"[\s_.]+", "-", (value or "").strip().lower())
    return {
        "default": "default",
        "exclusive-process": "exclusive-process",
        "e-process": "exclusive-process",
        "exclusive-thread": "exclusive-thread",
        "e-thread": "exclusive-thread",
        "prohibited": "prohibited",
    }.get(word)


def recovery_action(value: str | None) -> str | None:
    """Return what the driver says must be done: "none", "gpu-reset", "node-reboot", "drain-p2p", "drain-and-reset"."""
    word = slug(value)
    return {"reset": "gpu-reset", "reboot": "node-reboot", "drain-reset": "drain-and-reset"}.get(word or "", word)


def architecture(value: str | None) -> str | None:
    """Return the architecture as the specs call it: "Ada Lovelace" is "ada"."""
    word = slug(value)
    return "ada" if word == "ada-lovelace" else word
