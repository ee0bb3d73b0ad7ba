"""Options of "docker run" and their counterparts elsewhere, from specs/language/containers.yaml. Pure.

Written as Command stores them: "--shm-size=8g", "-it", "-v=/a:/b".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from accel.specs import Specs

Rows = Sequence[Mapping[str, Any]]


def option_rows(specs: Specs) -> Rows:
    rows: Rows = (specs.table("language/containers") or {}).get("options", ())
    return rows


def of_service(options: Sequence[str], rows: Rows) -> str | None:
    """Return the entries for a service in a compose file: "ulimits: {memlock: -1}"."""
    fields: dict[str, list[str]] = {}
    for option in options:
        key = (row_of(option, rows) or {}).get("compose")
        if key is None:
            continue
        value = option.partition("=")[2] or "true"
        name, _, rest = value.partition("=")
        shown = (
            f"{name}: {rest.partition(':')[0]}" if key.endswith("{}") else f'"{value}"' if key.endswith("[]") else value
        )
        fields.setdefault(key, []).append(shown)
    if not fields:
        return None
    told = "; ".join(_field(key, values) for key, values in fields.items())
    return f"In the service of the compose file: {told}."


def of_pod(options: Sequence[str], rows: Rows) -> str | None:
    """Return the fields for a pod and its container, and who provides what no field does."""
    known = [(option, row) for option in options if (row := row_of(option, rows)) is not None]
    of_pod = dict.fromkeys(words for option, row in known if (words := filled(row, "pod", option)))
    inside = _together(words for option, row in known if (words := filled(row, "container", option)))
    told = [f"in the pod's spec: {'; '.join(of_pod)}"] if of_pod else []
    told += [f"in its container: {'; '.join(inside)}"] if inside else []
    first = "; ".join(told)
    sentences = [f"{first[:1].upper()}{first[1:]}."] if first else []
    sentences += dict.fromkeys(row["instead"] for _, row in known if "instead" in row)
    return " ".join(sentences) or None


def _together(fields: Iterable[str]) -> list[str]:
    """Merge fields with the items of one list: "env: [a]" and "env: [b]" to "env: [a, b]"."""
    lists: dict[str, list[str]] = {}
    for field in dict.fromkeys(fields):
        name, _, items = field.partition(": [")
        whole = items.endswith("]") and "{" not in name
        lists.setdefault(name if whole else field, []).append(items.removesuffix("]") if whole else "")
    return [f"{name}: [{', '.join(items)}]" if items != [""] else name for name, items in lists.items()]


def filled(row: Mapping[str, Any], key: str, option: str) -> str | None:
    form: str | None = row.get(key)
    value = option.partition("=")[2]
    name, _, rest = value.partition("=")
    if form is None:
        return None
    value = value[:-1] + value[-1:].upper() if form.find("VALUEi") >= 0 else value
    return form.replace("VALUE", value).replace("NAME", name).replace("REST", rest)


def is_given(option: str, own: Iterable[str], rows: Rows) -> bool:
    given = (row_of(option, rows) or {}).get("given", ())
    return any(one.lower().startswith(tuple(given)) for one in own) if given else False


def is_mounted(option: str, own: Iterable[str]) -> bool:
    """Return whether the text's start mounts the same folder at the same place."""
    mount = _mount(option)
    return mount is not None and any(_mount(one) == mount for one in own)


def _mount(option: str) -> tuple[str, str] | None:
    """Return what a mount shows and where; an engine refuses two at one place."""
    name, _, value = option.partition("=")
    source, _, rest = value.partition(":")
    return (source.rstrip("/"), rest.partition(":")[0].rstrip("/")) if name in ("-v", "--volume") and rest else None


def numbered(option: str, own: Iterable[str], rows: Rows) -> str:
    """Return an option with the device numbers of the text's own start: "/dev/davinci3" to "…_VISIBLE_DEVICES=3"."""
    begins = (row_of(option, rows) or {}).get("numbered_by")
    numbers = [one[len(begins) :] for one in own if begins and one.startswith(begins)]
    numbers = [number for number in numbers if number.isdecimal()]
    return f"{option.rpartition('=')[0]}={','.join(numbers)}" if numbers else option


def replaces(new: str, old: str, rows: Rows) -> bool:
    """Return whether an option replaces one of the text's: the same one with another value."""
    row = row_of(new, rows)
    at, there = _mount(new), _mount(old)
    if (at and there and at[1] == there[1]) or (row is not None and old.startswith(tuple(row.get("replaces", ())))):
        return new != old
    if row is None or row is not row_of(old, rows) or new == old:
        return False
    value, was = new.partition("=")[2], old.partition("=")[2]
    named = "=" in value and value.partition("=")[0] == was.partition("=")[0]  # --ulimit memlock=…, -e NAME=…
    return named or bool(row.get("once"))


def as_words(options: Iterable[str]) -> list[str]:
    """Return options as they are typed: "-v /a:/b", "--shm-size 8g", "--privileged=false"."""
    return [
        word
        for option in options
        for word in ([option] if option.partition("=")[2] in ("true", "false") else option.split("=", 1))
    ]


def is_option(option: str, names: Iterable[str]) -> bool:
    """Return whether an option is one of these, with or without a value."""
    return any(option == n or option.startswith(n if "=" in n else f"{n}=") for n in names)


def _field(key: str, values: Sequence[str]) -> str:
    if key.endswith("[]"):
        return f"{key[:-2]}: [{', '.join(values)}]"
    return f"{key[:-2]}: {{{', '.join(values)}}}" if key.endswith("{}") else f"{key}: {values[-1]}"


def row_of(option: str, rows: Rows) -> Mapping[str, Any] | None:
    return next((row for row in rows if is_option(option, (row["option"], *row.get("also", ())))), None)
