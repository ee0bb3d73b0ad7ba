"""What a mistake in a text's program says about its errors: a report that shows both is about a fault that is there."""

from collections.abc import Sequence

from accel.collect.status.faults import kind_of
from accel.collect.status.told import Told
from accel.model.dataclass import replace
from accel.model.observation import Observation, share_a_line

MISTAKE = "mistake-in-program"


def shows_mistake(observations: Sequence[Observation]) -> bool:
    """Return whether the program text of a report explains one of its errors."""
    return bool(_explained(observations))


def with_mistakes(judged: list[Observation], told: Told) -> list[Observation]:
    """Return the observations; code of the writer that explains an error is theirs, and so is the error. That something
    else is well does not end it while they ask.
    """
    errors = _explained(judged)
    if not errors:
        return judged
    open_still = told.ends_in_a_question or told.says("unsolved") or told.ends_in_a_call
    revived = [one for one in errors if one.status == "past" and (one.why or "").startswith("well in") and open_still]
    return [
        replace(one, status="present", why=None, doubt=None)
        if (_is_mistake(one) and one.status == "source")
        or (one.status == "past" and kind_of(one) != "noted" and any(share_a_line(one, other) for other in revived))
        or one in revived
        else one
        for one in judged
    ]


def _explained(observations: Sequence[Observation]) -> list[Observation]:
    shown = [dict(getattr(one, "values", ())) for one in observations if _is_mistake(one)]
    wanted = {name for values in shown for name in values.get("explains", "").split()}
    return [one for one in observations if _name(one) in wanted] if wanted else []


def _is_mistake(one: Observation) -> bool:
    return getattr(one, "fact", None) == MISTAKE


def _name(one: Observation) -> str | None:
    """Return what a table calls an observation: the name of a fact, or an error as "cuda:710"."""
    if kind_of(one) == "error":
        return f"{getattr(one, 'domain', '')}:{getattr(one, 'code', '')}"
    return getattr(one, "fact", None)
