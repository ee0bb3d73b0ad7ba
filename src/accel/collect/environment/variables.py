"""The environment variables that concern accelerators, with secrets removed."""

import re
from collections.abc import Mapping
from typing import Final

from accel.facts.readers.environment_variables import NAMES
from accel.text.pattern import pattern

_NAME: Final = pattern(NAMES, exact_case=True)
_SECRET: Final = pattern(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL", re.IGNORECASE)


def relevant_variables(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the variables that a check may query, by name; secrets are never among them."""
    return tuple(
        (name, environment[name]) for name in sorted(environment) if _NAME.fullmatch(name) and not _SECRET.search(name)
    )
