"""The line in a YAML file of a place that the validator names: "facts[0] (acme-fault).finding.layer"."""

import re
from typing import Any, Final

from accel.specs.store import text_of

_STEP: Final = re.compile(r" \((?P<name>.*?)\)(?=[.\[]|$)|\[(?P<number>\d+)\]|\.?(?P<key>[^.\[ ]+)")


def line_of(path: str, place: str) -> int | None:
    """Return the line of the place, or of the deepest part of it that exists; None if the file cannot be read."""
    import yaml

    try:
        node = yaml.compose(text_of(path), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return None
    if node is None:
        return None
    line = node.start_mark.line
    for step in _STEP.finditer(place):
        if step["name"] is not None:
            continue
        found = _below(node, step["key"], step["number"])
        if found is None:
            break
        line, node = found
    return int(line) + 1


def _below(node: Any, key: str | None, number: str | None) -> tuple[int, Any] | None:
    import yaml

    if number is not None and isinstance(node, yaml.SequenceNode) and int(number) < len(node.value):
        item = node.value[int(number)]
        return item.start_mark.line, item
    if isinstance(node, yaml.MappingNode):
        return next(((k.start_mark.line, v) for k, v in node.value if k.value == key), None)
    return None
