"""A snapshot without what names its owner: hosts, users, serials, unique ids, addresses, home folders, secrets.

Each value is replaced by a placeholder that stays the same throughout the snapshot, so that records about one
device still belong together and the checks come to the same findings.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.apps.privacy.addresses import without_addresses
from accel.apps.privacy.disguise import OTHER_LETTERS
from accel.apps.privacy.home_folders import owners
from accel.apps.privacy.named import named
from accel.apps.privacy.secrets import GONE, without_secrets
from accel.apps.privacy.tables import tables
from accel.model.dataclass import field_names, is_record, replace
from accel.model.device import Device, Process
from accel.model.environment import Environment
from accel.model.observation import Noted
from accel.model.snapshot import Host, Snapshot

_SHORTEST: Final = 3  # characters of a text in which somebody can be named
_NETWORK_FOLDER: Final = re.compile(
    r"(?:^|(?<=[\s\"'=(;,]))(?P<start>\\{2,4})(?P<server>\w[\w.-]*)(?P<middle>\\{1,2})(?P<share>[\w.$-]+)"
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
_OWNERS: Final = {  # fields of a process that tell whose it is
    "user": "user",
    "container": "container",
    "container_name": "container-name",
    "pod": "pod",
    "pod_uid": "pod-uid",
    "pod_namespace": "namespace",
}
_VERSION_VALUES: Final = frozenset(
    ("version", "by_version", "has", "wants", "fits", "stale", "hidden")
)  # of what is noted
_BOUNDS: Final = re.compile(r"[<>=!~]{0,3}\d{1,4}(?:\.[\w*+!-]{1,20}){0,8}(?:,[<>=!~]{1,3}\d[\w.*+!-]{0,40}){0,10}")
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
    names.learn(_strings(snapshot))
    for report in snapshot.reports:
        for device in report.devices:
            if device.serial:
                names.word(device.serial, "serial")
            for process in device.processes or ():
                if process.user:
                    names.word(process.user, "user")
    for holder in snapshot.holdings.holders if snapshot.holdings is not None else ():
        for field in ("user", "pod", "container_name"):
            if value := getattr(holder.process, field):
                names.word(value, _OWNERS[field])
    result: Snapshot = _record(snapshot, names)
    return result


class _Placeholders:
    """Which placeholder stands for which value, in the order in which they were met."""

    def __init__(self, packages: Iterable[str]) -> None:
        self._no_names = tables().stock_names.union(packages)
        self._known: dict[str, str] = {}
        self._given: set[str] = set()
        self._counts: dict[str, int] = {}
        self._words: dict[str, str] = {}
        self._homes: set[str] = set()
        self._any_word: re.Pattern[str] | None = None

    def of(self, value: str, kind: str) -> str:
        key = value.lower()
        if key in self._given:
            return value
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            word = kind if value.isascii() else OTHER_LETTERS.get(kind, kind)
            self._known[key] = f"{word}-{self._counts[kind]}"
            self._given.add(self._known[key])
        return self._known[key]

    def word(self, value: str, kind: str) -> None:
        """Have this very word replaced wherever it stands alone; short ones would hit other words."""
        if (len(value) >= 4 or (len(value) == 3 and any(c.isdecimal() for c in value))) and not self.is_no_name(value):
            self._words[value] = self.of(value, kind)
            self._any_word = None

    def is_no_name(self, value: str) -> bool:
        return value.lower() in self._no_names or value.lower() in self._given

    def learn(self, texts: Iterable[str]) -> None:
        """Note every name that a text tells as one: it is replaced elsewhere too."""
        for text in texts:
            for begin, end in owners(text):
                if " " in text[begin:end]:
                    self._homes.add(text[begin:end].lower())
            for begin, end, kind in named(text):
                self.word(text[begin:end], kind)
                if kind == "host":
                    self.word(text[begin:end].partition(".")[0], kind)

    def in_text(self, text: str) -> str:
        if len(text) < _SHORTEST:
            return text
        text = without_addresses(without_secrets(text), self.of)
        spans: list[tuple[int, int, str]] = [(begin, end, "user") for begin, end in owners(text, self._homes)]
        spans += named(text)
        pieces, rest = "", 0
        for begin, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
            if begin >= rest and not self.is_no_name(text[begin:end]) and GONE not in text[begin:end]:
                pieces, rest = pieces + text[rest:begin] + self.of(text[begin:end], kind), end
        text = _NETWORK_FOLDER.sub(self._network_folder, pieces + text[rest:])
        return self._without_words(text)

    def _without_words(self, text: str) -> str:
        if not self._words:
            return text
        if self._any_word is None:
            longest_first = "|".join(re.escape(word) for word in sorted(self._words, key=len, reverse=True))
            self._any_word = re.compile(rf"(?<![\w-])(?:{longest_first})(?![\w-])")
        return self._any_word.sub(lambda m: self._words[m[0]], text)

    def variable(self, name: str, value: str) -> str:
        """Return a variable's value, read with its name, which may tell that it is a secret or a host."""
        shown = self.in_text(f"{name}={value}")
        return shown[len(name) + 1 :] if shown.startswith(f"{name}=") else self.in_text(value)

    def _network_folder(self, match: "re.Match[str]") -> str:
        server, share = (
            name if name.lower() in self._no_names else self.of(name, kind)
            for name, kind in ((match["server"], "host"), (match["share"], "share"))
        )
        return f"{match['start']}{server}{match['middle']}{share}"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _strings(item)
    elif is_record(value):
        for name in field_names(value):
            yield from _strings(getattr(value, name))


def _device(device: Any, result: Device, names: _Placeholders) -> Device:
    """Replace what identifies the board, also where its form tells nothing; a number by its place among those met."""
    new: dict[str, Any] = {}
    for name in type(device).identifying:
        value = getattr(device, name)
        if value not in (None, "") and getattr(result, name) == value:  # else its form has told already
            placeholder = names.of(str(value), name)
            new[name] = int(placeholder.rpartition("-")[2]) if isinstance(value, int) else placeholder
    return replace(result, **new) if new else result


def _process(process: Any, result: Any, names: _Placeholders) -> Any:
    """Replace whose a process is: people, containers and pods are named as somebody calls them."""
    new: dict[str, Any] = {
        field: names.of(value, kind)
        for field, kind in _OWNERS.items()
        if (value := getattr(process, field)) and not names.is_no_name(value)
    }
    if process.command:  # as one text: an option's secret is the next word
        new["command"] = tuple(names.in_text(" ".join(process.command)).split(" "))
    return replace(result, **new)


def _record(value: Any, names: _Placeholders) -> Any:
    if isinstance(value, str):
        return names.in_text(value)
    if isinstance(value, tuple):
        return tuple(_record(item, names) for item in value)
    if not is_record(value):
        return value
    changed = {
        name: new
        for name in field_names(value)
        if name not in _VERSION_FACTS | _PLAIN_FACTS  # "470.223.02.1" is no address
        and (new := _record(getattr(value, name), names)) != getattr(value, name)
    }
    result: Any = replace(value, **changed) if changed else value
    if isinstance(result, Host) and result.name:
        return replace(result, name=names.of(result.name, "host")) if not result.name.startswith("host-") else result
    if isinstance(result, Device):
        return _device(value, result, names)
    if hasattr(value, "start_ticks"):  # a RunningProcess, whose module is loaded only where there is one
        return _process(value, result, names)
    if isinstance(result, Process) and result.user and not result.user.startswith("user-"):
        return replace(result, user=names.of(result.user, "user"))
    if isinstance(result, Environment) and (given := getattr(value, "variables", None)):
        return replace(result, variables=tuple((n, names.variable(n, v)) for n, v in given))
    if isinstance(value, Noted):
        kept = (key in _VERSION_VALUES and _BOUNDS.fullmatch(given) for key, given in value.values)
        pairs = zip(value.values, result.values, kept, strict=True)
        return replace(result, values=tuple(old if whole else new for old, new, whole in pairs))
    return result
