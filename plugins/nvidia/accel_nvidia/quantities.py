"""Words and numbers of NVIDIA's tools as records hold them; None for every way of saying "not known"."""

import re

from accel.text.amounts import word


def flag(value: str | None) -> bool | None:
    """Return whether something is on: Enabled, Yes, On, Active against Disabled, No, Off, Not Active."""
    words = {"enabled": True, "yes": True, "on": True, "active": True, "1": True, "true": True}
    words |= {"disabled": False, "no": False, "off": False, "not active": False, "0": False, "false": False}
    return words.get((value or "").strip().lower())


def slug(value: str | None) -> str | None:
    """Return a word in lower case with hyphens: "Pass-Through" gives "pass-through", "In Progress" "in-progress"."""
    known = word(value)
    return re.sub(r"[\s_]+", "-", known.lower()) if known else None


def switch(value: str | None) -> str | None:
    """Return "enabled" or "disabled"; a star after it only says that a change is pending."""
    state = (value or "").strip(" *").lower()
    return state if state in ("enabled", "disabled") else None


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
    mode = re.sub(r"[\s_.]+", "-", (value or "").strip().lower())
    return {
        "default": "default",
        "exclusive-process": "exclusive-process",
        "e-process": "exclusive-process",
        "exclusive-thread": "exclusive-thread",
        "e-thread": "exclusive-thread",
        "prohibited": "prohibited",
    }.get(mode)


def recovery_action(value: str | None) -> str | None:
    """Return what the driver says must be done: "none", "gpu-reset", "node-reboot", "drain-p2p", "drain-and-reset"."""
    if (value or "").strip().lower() == "none":
        return "none"
    action = slug(value)
    return {"reset": "gpu-reset", "reboot": "node-reboot", "drain-reset": "drain-and-reset"}.get(action or "", action)


def architecture(value: str | None) -> str | None:
    """Return the architecture as the specs call it: "Ada Lovelace" is "ada"."""
    name = slug(value)
    return "ada" if name == "ada-lovelace" else name
