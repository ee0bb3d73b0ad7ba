"""A package imported from its source tree, where its compiled part was not built."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Missing, Raised, share_a_line
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_INSTALLED: Final = pattern(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d|\.egg[\\/]|^<")
_COMPILED: Final = pattern(r"(?:^_|_C\b|_ext\b|_cuda\b|_ops\b|_lib\b|_kernels?\b)")


@rule(
    gives={"source-tree-imported": "a package was imported from its source tree, which has no compiled part"},
    triggers=("missing.module", "missing.attribute"),
)
def source_tree(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a compiled part of a package (_C, _ext, flash_attn_cuda) is missing, and the traceback's files of the
    package are in a folder of its name outside any installation. torch_npu is skipped: it has its own check.
    """
    for one in seen.of(Missing):
        module = one.name.strip("'\"") if one.piece == "module" else f"{one.inside}.{one.name}"
        package, _, part = module.partition(".")
        if one.piece not in ("module", "attribute") or not part or package == "torch_npu":
            continue
        if not _COMPILED.search(part.rsplit(".", 1)[-1]):
            continue
        for raised in seen.of(Raised):
            files = [frame.file.replace("\\", "/") for frame in raised.frames if share_a_line(one, raised)]
            own = [file for file in files if f"/{package}/" in f"/{file}"]
            if own and not any(_INSTALLED.search(file) for file in own):
                yield fact_from("source-tree-imported", one, package=package, module=module)
                break
