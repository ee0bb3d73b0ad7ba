"""`accel fit` as text: bytes by part, the verdict for each device, and what to change."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.apps.render.units import bytes_text, plural, rate_text
from accel.apps.render.width import wrapped

if TYPE_CHECKING:
    from accel.apps.fitting import Fit
    from accel.footprint.memory import Need
    from accel.footprint.verdict import Change, Verdict

_BAR: Final = 40  # columns of the widest bar
_LABEL: Final = 14
_NARROW: Final = 60  # columns; a narrower table leaves out the memory
_HEADS: Final = (("memory", 10), ("to spare", 11), ("tokens/s ≤", 12))
_MOST_ROWS: Final = 24  # products shown for `--on all`
_MOST_CHANGES: Final = 6


def fit_lines(answer: "Fit", width: int) -> Iterator[str]:
    """Yield the lines of the answer."""
    first = answer.verdicts[0]
    yield from wrapped(_head(answer), width)
    yield from _parts(first.need, width)
    yield ""
    products = [one for one in answer.verdicts if one.target.id is None]
    for one in answer.verdicts if len(products) < 3 else (one for one in answer.verdicts if one.target.id):
        yield from _verdict(one, width)
    if len(products) > 2:
        yield from _table(products, width)
    for gap in (*answer.model.gaps, *answer.gaps, *first.need.notes):
        yield from wrapped(f"Note: {gap}", width)


def _head(answer: "Fit") -> str:
    model, need = answer.model, answer.verdicts[0].need
    plan = answer.verdicts[0].plan
    about = "about " if model.origin == "estimated" else ""
    active = (
        f", {count_text(model.active)} of them for each token"
        if model.active and model.active < model.parameters
        else ""
    )
    words = [
        f"{shown(model.name or model.family or 'model')}: {about}{count_text(model.parameters)} parameters{active}",
        f"weights in {need.quant or need.dtype}",
    ]
    if plan.train:
        words.append(
            f"training {'all of them' if plan.train == 'full' else f'{plan.train}, {count_text(need.trained)}'}"
        )
        words.append(f"{plan.optimizer}, ZeRO {plan.zero}" if plan.zero else plan.optimizer)
    if need.context:
        words.append(f"context {need.context}, batch {plan.batch}")
    if answer.flops:
        words.append(f"{rate_text(answer.flops, 'FLOP')} a step")
    return " · ".join(words)


def parts(need: "Need") -> Iterator[tuple[str, int]]:
    """Yield each part that uses memory, with its size in bytes."""
    rows = (
        ("weights", need.weights_bytes),
        ("KV cache", need.kv_cache_bytes),
        ("gradients", need.gradients_bytes),
        ("optimizer", need.optimizer_bytes),
        ("activations", need.activations_bytes),
        ("program", need.overhead_bytes),
    )
    return ((label, size) for label, size in rows if size)


def _parts(need: "Need", width: int) -> Iterator[str]:
    room = max(min(_BAR, width - _LABEL - 14), 4)
    for label, size in parts(need):
        bar = "█" * max(round(room * size / max(need.total_bytes, 1)), 1)
        yield f"  {label:<{_LABEL - 2}}{bytes_text(size):>10}  {bar}"
    band = f"between {bytes_text(need.low)} and {bytes_text(need.high)}"
    total = f"  {'total':<{_LABEL - 2}}{bytes_text(need.total_bytes):>10}"
    yield from (f"{total}  {band}",) if len(total) + 2 + len(band) <= width else (total, f"    {band}")
    if need.host_bytes:
        yield f"  {'in the host':<{_LABEL - 2}}{bytes_text(need.host_bytes):>10}"


def _verdict(one: "Verdict", width: int) -> Iterator[str]:
    target = one.target
    where = f"{target.id}, {_named(one)}" if target.id else _named(one)
    usable = target.usable_bytes
    if usable is None or one.spare_bytes is None:
        why = target.gap or "its memory is not known"
        end = "" if why.endswith("'") else "."  # a command gets no full stop
        yield from wrapped(f"{where}: not known, since {why}{end}", width)
        return
    has = f"{bytes_text(usable)} {'free' if target.free_bytes is not None else 'usable'}"
    each = " each" if target.count > 1 else ""
    if one.fits:
        said = f"fits, {bytes_text(one.spare_bytes)} of {has}{each} to spare"
    elif one.fits is None:
        band = f"{bytes_text(one.need.low)} to {bytes_text(one.need.high)}"
        said = f"may or may not fit: it needs {band}, and has {has}{each}"
    else:
        said = f"does not fit: {bytes_text(-one.spare_bytes)} more than the {has}{each}"
    words = [said]
    if one.tokens_per_second_at_most and one.fits is not False:
        words.append(f"at most {rate(one.tokens_per_second_at_most)} tokens/s")
    if one.longest_context and one.fits is not False:
        words.append(f"context up to {one.longest_context}")
    yield from wrapped(f"{where}: {' · '.join(words)}", width)
    for limit in target.limits:
        yield from wrapped(f"  {limit}", width)
    yield from _changes(one.changes, width)
    if one.together:
        options = " ".join(change.option for change in one.together)
        yield from wrapped(f"  Together they make it fit:  {options}", width)


def _changes(changes: "tuple[Change, ...]", width: int) -> Iterator[str]:
    if not changes:
        return
    yield "  To change, each by itself, the least harmful first:"
    shown_ones = list(changes[:_MOST_CHANGES])
    if not any(change.fits for change in shown_ones):
        shown_ones += [change for change in changes[_MOST_CHANGES:] if change.fits][:1]
    for change in shown_ones:
        then = {True: "then it fits", None: "then it may fit", False: "not enough alone"}[change.fits]
        for number, line in enumerate(
            wrapped(
                f"{change.option}: {change.what}, saves {bytes_text(change.saves_bytes)}, {then}; costs {change.costs}",
                width - 6,
            )
        ):
            yield f"  {'- ' if number == 0 else '  '}{line}"


def _named(one: "Verdict") -> str:
    return f"{f'{one.target.count} × ' if one.target.count > 1 else ''}{one.target.name}"


def _table(products: "list[Verdict]", width: int) -> Iterator[str]:
    fitting, number = [one for one in products if one.fits], sum(one.target.count == 1 for one in products)
    if not fitting:
        how = "--zero 3" if products[0].plan.train else "--quant awq"
        yield from wrapped(f"It fits none of {plural(number, 'product')}, nor 8 of one. Try  {how}", width)
        return
    heads = (("to spare", 10), ("tok/s ≤", 9)) if width < _NARROW else _HEADS
    room = width - 2 - sum(columns for _, columns in heads)
    wide = max(min(max(len(_named(one)) for one in fitting[:_MOST_ROWS]), room), 12)
    yield f"  {'fits':<{wide}}{''.join(f'{head:>{columns}}' for head, columns in heads)}"
    for one in fitting[:_MOST_ROWS]:
        speed = rate(one.tokens_per_second_at_most) if one.tokens_per_second_at_most else "?"
        name = _named(one) if len(_named(one)) <= wide else f"{_named(one)[: wide - 1]}…"
        cells = (bytes_text(one.target.memory_bytes), bytes_text(one.spare_bytes), speed)[-len(heads) :]
        figures = (f"{cell:>{columns}}" for cell, (_, columns) in zip(cells, heads, strict=True))
        yield f"  {name:<{wide}}{''.join(figures)}"
    if len(fitting) > _MOST_ROWS:
        larger = f"and {len(fitting) - _MOST_ROWS} more of {number} products; all of them:  --json"
        yield from (f"  {line}" for line in wrapped(larger, width - 2))


def count_text(count: int) -> str:
    """Return "8.03 B", "350 M"."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return str(count)


def rate(value: float) -> str:
    """Return "58", "1,200"."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def shown(name: str) -> str:
    """Return a name from a file as one line of at most 60 printable characters."""
    return "".join(sign for sign in name if sign.isprintable())[:60]
