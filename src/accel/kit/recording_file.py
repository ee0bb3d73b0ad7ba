"""Writes the YAML of a recorded machine and of its expected results, formatted as by hand."""

from typing import Any

import yaml


def machine_yaml(document: dict[str, Any]) -> str:
    """Return the text of machine.yaml."""
    return "# Recorded by  accel plugins record. The keys are explained in accel.machine.recorded.\n" + _dumped(
        document
    )


def expected_yaml(told: dict[str, Any]) -> str:
    """Return the text of expected.yaml, one line per device."""
    head = "# What the plugin made of the recording when it was made. Read it: what stands here is held true.\n"
    lines = [f"  - {_flow(device)}" for device in told["devices"]]
    devices = "devices:\n" + "\n".join(lines) + "\n" if lines else "devices: []\n"
    rest = "".join(f"{key}: {_flow(value)}\n" for key, value in told.items() if key != "devices")
    return head + devices + rest


def _flow(value: Any) -> str:
    dumped: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
    return dumped.strip()


class _Dumper(yaml.SafeDumper):
    """Writes multi-line texts as block literals."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.rstrip("\n") else '"' if text.endswith("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dumped(document: dict[str, Any]) -> str:
    dumped: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return dumped
