"""Checks of accel's own that need no code: facts of the inference tables that have a finding."""

from accel.checks.stated_fact import stated_check
from accel.specs import load

for _topic, _table in load(environment={}).tables("", "/inference/"):
    for _fact in _table.get("facts") or ():
        if _fact.get("finding"):
            globals()[_fact["name"].replace("-", "_")] = stated_check(_fact, _topic)
