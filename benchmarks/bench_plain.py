"""The measures of `accel bench` on the CPU beside the same written plainly in numpy, torch and C (STREAM's loops).

PYTHON benchmarks/bench_plain.py [ROUNDS]     PYTHON has torch and numpy; gcc compiles the loops

All of them take turns in one process, on arrays of one size, in short bursts; of each the best is printed, since on a
busy machine the best is what repeats. Nothing here is a test.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.parent / "src" / "accel" / "measure"))
_LOOPS = r"""
void read_(float *a, float *b, float *c, long n, float *out) {
  float sum = 0;
  #pragma omp parallel for reduction(+:sum)
  for (long i = 0; i < n; i++) sum += a[i];
  *out = sum;
}
void write_(float *a, float *b, float *c, long n, float *out) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = 1.5f;
}
void copy_(float *a, float *b, float *c, long n, float *out) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) c[i] = a[i];
}
void triad_(float *a, float *b, float *c, long n, float *out) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = b[i] + 3.0f * c[i];
}
"""
_ORDER = 2048
_BURST = 3  # calls


def main() -> None:
    import numpy
    import torch
    from programs.torch_bench import Backend

    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    backend = Backend({"steps": []})
    with tempfile.TemporaryDirectory() as folder:
        loops = _compiled(Path(folder))
        size = 256 << 20
        a, b, c = (torch.ones(size // 4) for _ in range(3))
        p, q, r = (one.numpy() for one in (a, b, c))
        out = ctypes.c_float()

        def by_c(name: str) -> Callable[[], Any]:
            call, pointers = getattr(loops, name + "_"), [ctypes.c_void_p(one.data_ptr()) for one in (a, b, c)]
            return lambda: call(*pointers, ctypes.c_long(size // 4), ctypes.byref(out))

        plain = {
            "read": (lambda: a.sum(), lambda: p.sum()),
            "write": (lambda: a.fill_(1.5), lambda: p.fill(1.5)),
            "copy": (lambda: c.copy_(a), lambda: numpy.copyto(r, p)),
            "triad": (lambda: torch.add(b, c, alpha=3.0, out=a), lambda: numpy.add(q, r, out=p)),
        }
        print("| measure, G/s | C | torch | numpy | accel | accel, median | accel / best of the others |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, (by_torch, by_numpy) in plain.items():
            amount = size * {"copy": 2, "triad": 3}.get(name, 1)
            row = {"device": "cpu", "kind": name}
            _row(
                f"memory {name}",
                amount,
                {"C": by_c(name), "torch": by_torch, "numpy": by_numpy},
                lambda row=row: backend.memory(row, 0.4),  # type: ignore[misc]
                rounds,
            )
    backend.release(None)
    for dtype, kind in (("fp32", torch.float32), ("fp64", torch.float64), ("bf16", torch.bfloat16)):
        x, y = (torch.randn(_ORDER, _ORDER).to(kind) for _ in range(2))
        ways: dict[str, Callable[[], Any]] = {"torch": lambda x=x, y=y: torch.mm(x, y)}  # type: ignore[misc]
        if dtype != "bf16":
            u, v = x.numpy(), y.numpy()
            ways["numpy"] = lambda u=u, v=v: u @ v  # type: ignore[misc]
        row = {"device": "cpu", "dtype": dtype}
        _row(
            f"matmul {dtype}",
            2 * _ORDER**3,
            ways,
            lambda row=row: backend.matmul(row, 2.0),  # type: ignore[misc]
            max(2, rounds // 3),
        )


def _row(name: str, amount: int, ways: Any, accel: Callable[[], dict[str, Any]], rounds: int) -> None:
    best: dict[str, float] = {}
    medians = []
    for _ in range(rounds):
        for way, call in ways.items():
            best[way] = max(best.get(way, 0.0), amount / _burst(call))
        found = accel()
        best["accel"] = max(best.get("accel", 0.0), found["amount"] / found["best"])
        medians.append(found["amount"] / found["seconds"])
    cells = [f"{best[way] / 1e9:.1f}" if way in best else "" for way in ("C", "torch", "numpy", "accel")]
    middle = sorted(medians)[len(medians) // 2] / 1e9
    ratio = best["accel"] / max(best[way] for way in ways)
    print(f"| {name} | {' | '.join(cells)} | {middle:.1f} | {ratio:.2f} |", flush=True)


def _burst(call: Callable[[], Any]) -> float:
    took = []
    for _ in range(_BURST):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return min(took)


def _compiled(folder: Path) -> Any:
    source, library = folder / "loops.c", folder / "loops.so"
    source.write_text(_LOOPS)
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


if __name__ == "__main__":
    main()
