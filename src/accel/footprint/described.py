"""The shape of a model described by a few sizes instead of files."""

from accel.footprint.model import Cache, ModelShape
from accel.model.errors import BadInput
from accel.text.pattern import pattern

_COUNT = pattern(r"^(\d+(?:\.\d+)?) ?([kmbt]?)(?:illion|n)?$")
_SCALE = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}


def parameters_of(text: str, option: str = "--params") -> int:
    """Parse a parameter count: "7.5B", "350M" or "7500000000"; raises BadInput for anything else."""
    found = _COUNT.match(text.strip().lower())
    if found is None or not float(found[1]):
        raise BadInput(f"{option} {text}: give a number of parameters, such as 7.5B or 350M.")
    return round(float(found[1]) * _SCALE[found[2]])


def described(
    parameters: int,
    *,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    head_dim: int | None = None,
    intermediate: int | None = None,
    vocabulary: int | None = None,
    active: int | None = None,
) -> ModelShape:
    """Return the shape of a model with this many parameters; without layers and heads only its weights are known.

    active  parameters used per token, for a mixture of experts; None: all
    """
    sizes = (layers, hidden, heads, kv_heads, head_dim, intermediate, vocabulary)
    if any(size is not None and size < 1 for size in sizes):
        raise BadInput("Each size of a described model is 1 or more.")
    if active is not None and active > parameters:
        raise BadInput("--active is of the parameters that one token passes: no more than --params.")
    gaps = []
    if not layers or not hidden:
        gaps.append("Without --layers and --hidden activations are not counted.")
    if heads and hidden and not head_dim:
        head_dim = hidden // heads
    kv_heads = kv_heads or heads
    caches: tuple[Cache, ...] = ()
    if layers and kv_heads and head_dim:
        caches = (Cache(what="full", layers=layers, elements=2 * kv_heads * head_dim, heads=kv_heads),)
    else:
        gaps.append("Without --layers, --hidden and --heads the cache is not counted.")
    return ModelShape(
        name=None,
        family=None,
        parameters=parameters,
        active=active or parameters,
        origin="counted",
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        intermediate=intermediate,
        vocabulary=vocabulary,
        caches=caches,
        dropout=True,  # as in the papers whose figures are computed from sizes alone
        gaps=tuple(gaps),
    )
