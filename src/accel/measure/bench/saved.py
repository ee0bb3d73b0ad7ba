"""Benchmarks as JSON and back: what `accel bench --save` writes is what `--compare`, the doctor and reports read."""

from accel.measure.bench.records import SCHEMA, Bench
from accel.model.errors import BadInput
from accel.model.to_builtins import json_text, plain

_MOST_BYTES = 16 << 20


def encoded(bench: Bench) -> str:
    """Return the benchmark as indented JSON, ending in a newline."""
    return json_text(plain(bench), indent=1) + "\n"


def decoded(text: str, name: str = "benchmark") -> Bench:
    """Read a benchmark. Raises BadInput naming the file and the place."""
    import msgspec

    again = f"Write it again:  accel bench --save {name}"
    try:
        data = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{name}: not a whole JSON document: {error}. {again}") from None
    told = data.get("schema") if isinstance(data, dict) else None
    if told != SCHEMA:
        raise BadInput(f"{name}: expected a benchmark, {SCHEMA}, got {str(told)[:60]!r}. {again}")
    try:
        return msgspec.convert(data, Bench)
    except msgspec.ValidationError as error:
        raise BadInput(f"{name}: {error}. {again}") from None


def read(path: str) -> Bench:
    """Read a saved benchmark. Raises BadInput where it cannot be used."""
    from accel.machine.outside import read_regular

    try:
        data = read_regular(path, _MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. Make one:  accel bench --save {path}") from None
    return decoded(data.decode("utf-8", "replace"), path)
