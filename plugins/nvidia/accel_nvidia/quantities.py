"""Converts words and numbers of NVIDIA's tools to record values; None for every spelling of "unknown"."""

import re

from accel.text.amounts import word


def flag(value: str | None) -> bool | None:
    """Return whether something is on: Enabled, Yes, On, Active against Disabled, No, Off, Not Active."""
    words = {"enabled": True, "yes": True, "on": True, "active": True, "1": True, "true": True}
    words |= {"disabled": False, "no": False, "off": False, "not active": False, "0": False, "false": False}
    return words.get((value or "").strip().lower())


def slug(value: str | None) -> str | None:
    """Return a word in lower case with hyphens: "pass-through" for "Pass-Through", "in-progress" for "In Progress"."""
    known = word(value)
    return re.sub(r"[\s_]+", "-", known.lower()) if known else None


def switch(value: str | None) -> str | None:
    """Return "enabled" or "disabled"; a trailing star only means that a change is pending."""
    state = (value or "").strip(" *").lower()
    return state if state in ("enabled", "disabled") else None


def pci_id(value: str | None) -> str | None:
    """Return "10de:2330" for nvidia-smi's 0x233010DE."""
    found = re.match(r"(?i)^\s*(?:0x)?([0-9a-f]{4})([0-9a-f]{4})\s*$", value or "")
    return f"{found[2]}:{found[1]}".lower() if found else None


def version(value: str | None) -> str | None:
    """Return the version at the start of a value: "610.62" for "610.62 [Deprecated; …]"."""
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
    """Return the required action: "none", "gpu-reset", "node-reboot", "drain-p2p", "drain-and-reset"."""
    if (value or "").strip().lower() == "none":
        return "none"
    action = slug(value)
    return {"reset": "gpu-reset", "reboot": "node-reboot", "drain-reset": "drain-and-reset"}.get(action or "", action)


def architecture(value: str | None) -> str | None:
    """Return the architecture's name in the specs: "ada" for "Ada Lovelace"."""
    name = slug(value)
    return "ada" if name == "ada-lovelace" else name
