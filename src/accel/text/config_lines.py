"""Detect configuration lines: alert rules, playbooks, settings. Faults that they mention did not happen. Pure.

- alert: GpuXid                    a Prometheus rule, with its expr and annotations
failed_when: "'x' in out.stdout"   an Ansible task
text = "HW Slowdown on {{host}}"   TOML: a block of only sections and quoted values
内容: "GPU {{ $labels.gpu }} lost"  keys in any language, with a template's variable or a comparison as a value
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.text.pattern import pattern

_RULE: Final = pattern(
    r"[ \t]{0,20}-?[ ]?(?:alert|expr|annotations|summary|description|message|pattern|reason|regex"
    r"|condition|match|rule|labels|severity"
    r"|runbook_url|matches|patterns|grep|include|exclude)['\"]?[ ]?:(?:[ ]|$)"
)
_ALERTS: Final = pattern(r"[ \t]{0,20}-[ ]alert:|[ \t]{0,12}\"?(?:pattern|regex|expr)\"?[ ]?:[ ]")
_PLAY: Final = pattern(
    r"[ \t]{0,20}(?:- )?(?:register|when|failed_when|changed_when|loop|notify|runs-on|steps|uses"
    r"|stages):(?:[ ]|$)"
)
_SETTING: Final = pattern(  # of TOML and the like: severity = "page"
    r"[ \t]{0,8}[\w.-]{1,60}[ ]{1,20}=[ ](?:\"[^\n]{0,400}\"|'[^\n]{0,400}'|\[[^\n]{0,400}\]"
    r"|\d[\d._]{0,20}|true|false),?[ ]{0,4}$"
)
_SECTION: Final = pattern(r"[ \t]{0,8}\[{1,2}[\w. \"'/-]{1,80}\]{1,2}[ ]{0,4}$")
_KEYED: Final = pattern(r"[ \t]{0,24}(?:-[ ])?[\"']?[^\W\d][\w /.-]{0,30}[\"']?[ ]?[:：=](?:[ ]|(?<=：)|$)")
_VARIABLE: Final = pattern(r"\{\{-?[ ]?[$.]?[^\W\d]\w{0,40}[\w.$ |()\"-]{0,80}\}\}")
_COMPARED: Final = pattern(  # condition: some_metric{job="x"} > 0
    r"[^:：=\n]{1,40}[:：][ ]{0,2}[a-z]\w{1,40}[_.(]\w{1,80}(?:\{[^}\n]{0,120}\}|\[\w{1,8}\])?\)?"
    r"[ ]?(?:[<>]=?|[=!]=)[ ]?-?\d"
)
_KEY: Final = pattern(r"[ \t]{0,24}(?:-[ ])?[\"']?[\w./-]{1,40}[\"']?[ ]?[:=](?:[ ]|$)|[ \t]{2,}|[\]}\[{]")

_FEWEST_KEYS: Final = 2


def config_lines(bodies: Sequence[str]) -> Iterator[int]:
    """Yield the lines of blocks that contain an alert rule or a pattern to search for."""
    start = 0
    for end in range(len(bodies) + 1):
        if end < len(bodies) and bodies[end].strip():
            continue
        block = bodies[start:end]
        settings = sum(bool(_SETTING.match(body)) for body in block)
        if settings >= 3 and all(_SETTING.match(body) or _SECTION.match(body) for body in block):
            yield from range(start, end)
        keyed = [n for n, body in enumerate(block, start) if _KEYED.match(body) or body.startswith("#")]
        whole = len(keyed) >= max(_FEWEST_KEYS, 0.8 * len(block))  # a sentence may follow without a blank line
        if whole and any(_VARIABLE.search(body) or _COMPARED.match(body) for body in block):
            yield from keyed
        plays = sum(bool(_PLAY.match(body)) for body in block)
        if plays >= 2 or (
            any(_ALERTS.match(body) for body in block) and sum(bool(_RULE.match(body)) for body in block) >= 2
        ):
            yield from (start + n for n, body in enumerate(block) if _KEY.match(body))
        start = end + 1
