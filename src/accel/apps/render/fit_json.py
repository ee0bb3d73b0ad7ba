"""`accel fit --json`."""

from typing import TYPE_CHECKING, Any

from accel.apps.render.json import dumps
from accel.model.to_builtins import plain

if TYPE_CHECKING:
    from accel.apps.fitting import Fit
    from accel.footprint.verdict import Verdict

_BYTES = (
    *("parameters", "weights_bytes", "kv_cache_bytes", "gradients_bytes", "optimizer_bytes", "model_states_bytes"),
    *("activations_bytes", "overhead_bytes", "total_bytes", "low", "high", "host_bytes"),
)
_OF_CHANGE = ("what", "option", "saves_bytes", "costs", "fits")


def fit_json(answer: "Fit") -> str:
    """Return the document. Top-level byte figures are for the first target and its fullest device."""
    first = answer.verdicts[0].need
    return dumps(
        "accel.fit/1",
        model={
            **{name: getattr(answer.model, name) for name in ("name", "family", "origin")},
            "active_parameters": answer.model.active,
            "parts": dict(answer.model.parts),
            "layers": answer.model.layers,
            "hidden": answer.model.hidden,
            "tensors": plain(answer.model.tensors),
        },
        **{name: getattr(first, name) for name in _BYTES},
        trained_parameters=first.trained,
        context=first.context,
        dtype=first.dtype,
        quant=first.quant,
        kv_dtype=first.kv_dtype,
        flops=answer.flops,
        fits=answer.fits,
        devices=[_verdict(one) for one in answer.verdicts],
        notes=list(first.notes),
        gaps=[*answer.model.gaps, *answer.gaps],
    )


def _verdict(one: "Verdict") -> dict[str, Any]:
    return {
        **{name: getattr(one.target, name) for name in ("name", "id", "count", "memory_bytes", "free_bytes")},
        "fits": one.fits,
        "total_bytes": one.need.total_bytes,
        "spare_bytes": one.spare_bytes,
        "longest_context": one.longest_context,
        "tokens_per_second_at_most": one.tokens_per_second_at_most,
        "prompt_tokens_per_second_at_most": one.prompt_tokens_per_second_at_most,
        "gap": one.target.gap,
        "limits": list(one.target.limits),
        "changes": [{name: getattr(change, name) for name in _OF_CHANGE} for change in one.changes],
    }
