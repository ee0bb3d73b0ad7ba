"""A snapshot without what names its owner: hosts, users, serials, unique ids, addresses, home folders, secrets.

Each value is replaced by a placeholder that stays the same throughout the snapshot, so that records about one
device still belong together and the checks come to the same findings.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from accel.model.device import Device, Process
from accel.model.environment import Environment
from accel.model.snapshot import Host, Snapshot
from accel.privacy.home_folders import owners

_UUID: Final = re.compile(r"\b(GPU|MIG|NPU|TPU)-[0-9a-fA-F-]{8,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_IPV4: Final = re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])")
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6})(?![\w:.])",
    re.IGNORECASE,
)
_MAC: Final = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
_EMAIL: Final = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b")
_NETWORK_FOLDER: Final = re.compile(
    r"(?:^|(?<=[\s\"'=(;,]))(?P<start>\\{2,4})(?P<server>\w[\w.-]*)(?P<middle>\\{1,2})(?P<share>[\w.$-]+)"
)
_SECRET: Final = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{12,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)"
    r"|(?P<key>(?i:(?:token|secret|passw(?:or)?d|api[_-]?key|authorization)\s*[=:]\s*(?:(?:bearer|basic)\s+)?"
    r"|--[\w-]*(?:token|secret|password|api[_-]?key)\s+|\bbearer\s+(?=\S{12})))(?P<value>[^\s,;]+)"
    r"|(?P<url>://)[^/\s:@]+:[^/\s@]+@"
)
_STOCK_NAMES: Final = frozenset(  # they tell of nobody, and as words they stand for other things too
    {"root", "user", "admin", "ubuntu", "debian", "linux", "localhost", "runner", "jovyan", "python", "conda", "torch"}
    | {"pytorch", "cuda", "nvidia", "rocm", "ascend", "home", "work", "data", "users", "share", "public"}
    | {"wsl.localhost"}
)
_PLAIN_FACTS: Final = frozenset(  # words of accel's own, by which records find each other
    {
        "schema",
        "backend",
        "vendor",
        "kind",
        "id",
        "parent",
        "status",
        "system",
        "fact",
        "built_for",
        "channel",
        "health",
    }
)
_VERSION_FACTS: Final = frozenset(
    {"version", "library_version", "toolkit_version", "firmware_version", "driver_version"}
)


def redacted(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with identifying values replaced, consistently."""
    names = _Placeholders(p.name for environment in snapshot.environments for p in environment.packages or ())
    if snapshot.host.name:
        names.word(snapshot.host.name, "host")
        names.word(snapshot.host.name.partition(".")[0], "host")
    for environment in snapshot.environments:
        for path in (environment.python_executable or "", *(value for _, value in environment.variables or ())):
            for begin, end in owners(path):
                names.word(path[begin:end], "user")
    names.homes(_strings(snapshot))
    for report in snapshot.reports:
        for device in report.devices:
            if device.serial:
                names.word(device.serial, "serial")
            for process in device.processes or ():
                if process.user:
                    names.word(process.user, "user")
    result: Snapshot = _record(snapshot, names)
    return result


def without_secrets(text: str) -> str:
    """Return a text without tokens, passwords, e-mail and hardware addresses."""
    return _MAC.sub("00:00:5e:00:53:00", _EMAIL.sub("someone@example.com", _SECRET.sub(_without_secret, text)))


class _Placeholders:
    """Which placeholder stands for which value, in the order in which they were met."""

    def __init__(self, packages: Iterable[str]) -> None:
        self._no_names = _STOCK_NAMES.union(packages)
        self._known: dict[str, str] = {}
        self._given: set[str] = set()
        self._counts: dict[str, int] = {}
        self._words: dict[str, str] = {}
        self._homes: set[str] = set()

    def of(self, value: str, kind: str) -> str:
        key = value.lower()
        if key in self._given:
            return value
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[key] = f"{kind}-{self._counts[kind]}"
            self._given.add(self._known[key])
        return self._known[key]

    def word(self, value: str, kind: str) -> None:
        """Have this very word replaced wherever it stands alone; short ones would hit other words."""
        if len(value) >= 4 and value.lower() not in self._no_names:
            self._words[value] = self.of(value, kind)

    def homes(self, texts: Iterable[str]) -> None:
        """Note the owners of home folders whose names have blanks: elsewhere such a name may end in mid-sentence."""
        names = (text[begin:end] for text in texts for begin, end in owners(text))
        self._homes.update(name.lower() for name in names if " " in name)

    def in_text(self, text: str) -> str:
        text = _SECRET.sub(_without_secret, text)
        text = _UUID.sub(lambda m: f"{m[1]}-{self.of(m[0], 'uuid')}" if m[1] else self.of(m[0], "uuid"), text)
        pieces, rest = "", 0
        for begin, end in owners(text, self._homes):
            pieces, rest = pieces + text[rest:begin] + self.of(text[begin:end], "user"), end
        text = pieces + text[rest:]
        text = _NETWORK_FOLDER.sub(self._network_folder, text)
        for pattern, kind in ((_EMAIL, "email"), (_MAC, "mac"), (_IPV6, "ip"), (_IPV4, "ip")):
            text = pattern.sub(lambda m, kind=kind: self._address(m[0], kind), text)  # type: ignore[misc]
        for word, placeholder in self._words.items():
            if word in text:
                text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", placeholder, text)
        return text

    def _network_folder(self, match: "re.Match[str]") -> str:
        server, share = (
            name if name.lower() in self._no_names else self.of(name, kind)
            for name, kind in ((match["server"], "host"), (match["share"], "share"))
        )
        return f"{match['start']}{server}{match['middle']}{share}"

    def _address(self, text: str, kind: str) -> str:
        if text in ("127.0.0.1", "0.0.0.0"):
            return text
        return self.of(text, kind)


def _without_secret(match: "re.Match[str]") -> str:
    if match["url"]:
        return "://<redacted>@"
    return f"{match['key']}<redacted>" if match["key"] else "<redacted>"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _strings(item)
    elif is_dataclass(value):
        for f in fields(value):
            yield from _strings(getattr(value, f.name))


def _device(device: Any, result: Device, names: _Placeholders) -> Device:
    """Replace what identifies the board, also where its form tells nothing; a number by its place among those met."""
    new: dict[str, Any] = {}
    for name in type(device).identifying:
        value = getattr(device, name)
        if value not in (None, "") and getattr(result, name) == value:  # else its form has told already
            placeholder = names.of(str(value), name)
            new[name] = int(placeholder.rpartition("-")[2]) if isinstance(value, int) else placeholder
    return replace(result, **new) if new else result


def _record(value: Any, names: _Placeholders) -> Any:
    if isinstance(value, str):
        return names.in_text(value)
    if isinstance(value, tuple):
        return tuple(_record(item, names) for item in value)
    if not is_dataclass(value):
        return value
    changed = {
        f.name: new
        for f in fields(value)
        if f.name not in _VERSION_FACTS | _PLAIN_FACTS  # "470.223.02.1" is no address
        and (new := _record(getattr(value, f.name), names)) != getattr(value, f.name)
    }
    result: Any = replace(value, **changed) if changed else value  # type: ignore[type-var]
    if isinstance(result, Host) and result.name:
        return replace(result, name=names.of(result.name, "host")) if not result.name.startswith("host-") else result
    if isinstance(result, Device):
        return _device(value, result, names)
    if isinstance(result, Process) and result.user and not result.user.startswith("user-"):
        return replace(result, user=names.of(result.user, "user"))
    if isinstance(result, Environment) and result.variables:
        return replace(result, variables=tuple((n, names.in_text(v)) for n, v in result.variables))
    return result
