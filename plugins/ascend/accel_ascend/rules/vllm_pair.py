"""A vLLM plugin and a vLLM of different releases, identified by a name that one of them lacks."""

from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact, Missing, Raised
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

PAIR: Final = "vllm-plugin-pair"
_PLUGINS: Final = {"vllm_ascend": "vllm-ascend", "vllm_omni": "vllm-omni"}


@rule(
    gives={PAIR: "vLLM and its plugin lack each other's names: they are not of one release"},
    triggers=("missing.module", "missing.attribute"),
)
def vllm_pair(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a plugin file misses a name or module of vLLM, or vLLM one of the plugin; also if no file is named and
    the plugin is installed. Missing attributes of the plugin's own classes do not count.
    """
    facts = Facts(seen.snapshot)
    installed = next((package.name for package in facts.packages(*_PLUGINS.values())), None)
    installed = installed or ("vllm-ascend" if any("vllm_ascend" in one.text for one in seen.of(Raised)) else None)
    for one in seen.of(Missing):
        if one.piece in ("attribute", "module") and one.component == "vllm-ascend":
            inside = (one.inside or one.name).startswith("vllm_ascend.") and one.name != "vllm_ascend.vllm_ascend_C"
            if inside and ("vllm-omni" in (one.by_component, _by_frames(seen, one)) or facts.packages("vllm-omni")):
                yield fact_from(PAIR, one, plugin="vllm-omni", name=one.name, inside=one.inside)
            continue
        if one.piece not in ("attribute", "module") or one.component != "vllm" or one.name in ("vllm",):
            continue
        if "unknown location" in one.text:
            continue  # a folder of that name next to the program: nothing was imported
        if "object" in one.text and "import" not in one.text and one.by_component not in _PLUGINS.values():
            continue
        plugin = one.by_component if one.by_component in _PLUGINS.values() else _by_frames(seen, one) or installed
        if plugin is not None and (one.by_component in (None, "vllm", plugin)):
            yield fact_from(PAIR, one, plugin=plugin, name=one.name, inside=one.inside)


def _by_frames(seen: Seen, missing: Missing) -> str | None:
    for raised in seen.of(Raised):
        if raised.line and missing.line and raised.line <= missing.line <= (raised.last_line or raised.line):
            modules = [(frame.module or "").split(".")[0] for frame in raised.frames]
            files = " ".join(frame.file for frame in raised.frames)
            return next((name for part, name in _PLUGINS.items() if part in modules or f"/{part}/" in files), None)
    return None
