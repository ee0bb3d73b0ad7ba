"""A CUDA program's GPU numbers compared with nvidia-smi's: whether a number means a different model in each.

    GPU 0: NVIDIA GeForce GTX 1660 SUPER (UUID: GPU-…)                nvidia-smi -L
    NVIDIA GeForce RTX 3090, 24576 MiB, 1                             --query-gpu=name,memory.total,index, no header
    GeForce GTX 750, 00000000:01:00.0                                 --query-gpu=gpu_name,gpu_bus_id: in its order
      Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6       llama.cpp, ollama, koboldcpp
     * GPU #0:       GeForce GTX 750 Ti @ 1150/2900 MHz               xmrig

Noted  device-order-differs (index, cuda, smi), if both lists name the same models, more than one, in different order.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "numbers of GPUs"
_NAME: Final = r"(?:NVIDIA )?(?P<name>(?:GeForce|Quadro|Tesla|RTX|TITAN|NVIDIA|GTX|[ALHBTV]\d{1,3})[\w -]{1,40}?)"
_BY_SMI: Final = pattern(rf"^\s{{0,8}}GPU (?P<index>\d{{1,2}}): {_NAME} \(UUID")
_BY_QUERY: Final = pattern(
    rf"^\s{{0,8}}{_NAME}, (?:\d{{1,7}} MiB, (?P<index>\d{{1,2}})|[0-9A-Fa-f]{{4,8}}:[0-9A-Fa-f:.]{{4,8}})\s{{0,8}}$"
)
_BY_CUDA: Final = pattern(rf"^.{{0,60}}\bDevice (?P<index>\d{{1,2}}): {_NAME}, compute capability")
_BY_MINER: Final = pattern(rf"^\s{{0,8}}\*?\s{{0,4}}GPU #(?P<index>\d{{1,2}}):\s{{1,12}}{_NAME} @ ")
_MOST: Final = 64


def read(text: str) -> Iterator[Reading]:
    """Yield one reading, with the first number that means two models."""
    by_smi: dict[int, str] = {}
    by_cuda: dict[int, tuple[str, str, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 300 or len(by_smi) + len(by_cuda) > _MOST:
            continue
        if found := _BY_SMI.match(line) or _BY_QUERY.match(line):
            index = found["index"]
            by_smi.setdefault(int(index) if index else len(by_smi), found["name"].strip())
        elif found := _BY_CUDA.match(line) or _BY_MINER.match(line):
            by_cuda.setdefault(int(found["index"]), (found["name"].strip(), line, number))
    models = {name for name, _, _ in by_cuda.values()}
    if len(models) < 2 or models != set(by_smi.values()):
        return
    unlike = (index for index, (name, _, _) in sorted(by_cuda.items()) if by_smi.get(index, name) != name)
    index = next(unlike, None)
    if index is not None:
        name, line, number = by_cuda[index]
        values = {"index": str(index), "cuda": name, "smi": by_smi[index]}
        yield from reading_of(SOURCE, [noted("device-order-differs", line, SOURCE, number, **values)])


READER: Final = Reader(name=SOURCE, signs=("compute capability", "GPU #"), read=read)
