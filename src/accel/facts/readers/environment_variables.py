"""Read environment variables that concern accelerators, in any notation.

    CUDA_VISIBLE_DEVICES=1,5 vllm serve …             LD_LIBRARY_PATH=/usr/local/cuda/lib64:…     printenv
    export CUDA_VISIBLE_DEVICES=2                     set CUDA_VISIBLE_DEVICES=0
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"         $env:CUDA_VISIBLE_DEVICES = "0"
    ENV NVIDIA_VISIBLE_DEVICES all                    docker run -e NVIDIA_VISIBLE_DEVICES=all
    - NVIDIA_VISIBLE_DEVICES=all  (compose)           - name: NCCL_DEBUG / value: "INFO"  (Kubernetes)
    NCCL_P2P_DISABLE set by environment to 1.         $ echo $CUDA_VISIBLE_DEVICES / 0,1
    {'CUDA_VISIBLE_DEVICES': '0', 'RANK': '1'}        [('CUDA_VISIBLE_DEVICES', '')]  (Python prints os.environ)
    "Env": ["NVIDIA_VISIBLE_DEVICES=void", …]         (docker inspect)

An empty value is kept as "". Advice in error texts ("consider passing CUDA_LAUNCH_BLOCKING=1", "Set
TF_CPP_MIN_LOG_LEVEL=0 and rerun") and a line that is commented out set nothing and are ignored. The first assignment
of a name counts.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

NAMES: Final = (
    r"(?:(?:CUDA|NVIDIA|HIP|ROCR|ROCM|HSA|AMD|GPU|MIOPEN|ASCEND|ATB|HCCL|NPU|JAX|XLA|TPU|LIBTPU|TF|NCCL|GLOO|"
    r"PYTORCH|TORCH|TORCHINDUCTOR|VLLM|"
    r"CUBLAS|CUDNN|CONDA|DOCKER|ONEAPI|ZE|SYCL|HABANA|NEURON|OMP|MKL|UCX|PJRT|ACCELERATE|DS|BNB)_[A-Z0-9_]+"
    r"|LD_LIBRARY_PATH|LD_PRELOAD|VIRTUAL_ENV|RANK|WORLD_SIZE|LOCAL_RANK|MASTER_ADDR|MASTER_PORT|"
    r"SLURM_(?:JOB|STEP)_GPUS|SLURM_GPUS(?:_[A-Z_]{2,20})?|"
    r"XLA_FLAGS|"
    r"GPU_DEVICE_ORDINAL|ROCM_PATH|CUDA_HOME|CUDA_PATH|COMMANDLINE_ARGS|LIBTPU_INIT_ARGS)"
)
_KNOWN: Final = pattern(NAMES)
_ANY_NAME: Final = r"[A-Z][A-Z0-9_]{2,60}"  # _KNOWN filters them: compiled once instead of in every pattern
_VALUE: Final = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';&`]*)"
_PROMPT: Final = (
    r"(?:\([\w./-]{1,80}\)[ ]{0,9}){0,4}(?:[\w.-]{0,40}@[^#$%\n]{0,120}[#$%][ ]*|[$#%>][ ]*|"
    r"PS [^>\n]{0,120}>[ ]*|[A-Za-z]:\\[^>\n]{0,120}>[ ]*|>>> |In \[\d+\]: )?"
)
_LINE: Final = pattern(
    rf"^[ \t]*(?:[-*•][ \t]+)?`?{_PROMPT}(?P<how>export |set |setx |declare -x |typeset -x |ENV |ARG |env |"
    rf"sudo |%env |!)?"
    rf"[\"']?(?P<name>{_ANY_NAME})(?P<sign>[ ]?=[ ]?|: |:$)(?:{_VALUE})",
    re.MULTILINE,
)
_SET_TO_LINE_END: Final = pattern(
    rf"^[ \t]*(?:\([\w./-]+\)[ ]*)?(?:[A-Za-z]:\\[^>\n]{{0,120}}>[ ]*)?[sS][eE][tT] (?P<name>{_ANY_NAME})="
    rf"(?P<value>[^\n]*)$",
    re.MULTILINE,
)
_MORE: Final = tuple(
    pattern(form, re.MULTILINE)
    for form in (
        rf"\$env:(?P<name>{_ANY_NAME})[ ]?=[ ]?{_VALUE}",
        rf"os\.environ(?:\.setdefault\(|\[)[ ]?[\"'](?P<name>{_ANY_NAME})[\"'](?:\][ ]?=[ ]?|,[ ]?)[fr]?"
        rf"(?P<value>\"[^\"\n]*\"|'[^'\n]*')",
        rf"[({{,][ ]?[\"'](?P<name>{_ANY_NAME})[\"'][ ]?[,:][ ]?(?P<value>\"[^\"\n]*\"|'[^'\n]*')(?=[ ]?[)}},])",
        rf"\"(?P<name>{_ANY_NAME})=(?P<value>[^\"\n]{{0,200}})\"(?=[ \t]*(?:[,\]]|$))",
        rf"os\.putenv\([\"'](?P<name>{_ANY_NAME})[\"'],[ ]?(?P<value>\"[^\"\n]*\"|'[^'\n]*')",
        rf"(?:^|\s)(?:-e|--env)[= ]+[\"']?(?P<name>{_ANY_NAME})={_VALUE}",
        rf"^[ \t]*(?:setenv|ENV)[ ]+(?P<name>{_ANY_NAME})[ ]+{_VALUE}(?![ \t]*\S)",
        rf"^[ \t]*(?:-[ ]*)?name: [\"']?(?P<name>{_ANY_NAME})[\"']?[ \t]*\n[ \t]*value: {_VALUE}",
        rf"\b(?P<name>{_ANY_NAME}) set by environment to (?P<value>[^\s]*?)\.?$",
        rf"^.{{0,80}}\becho \"?\$\{{?(?P<name>{_ANY_NAME})\}}?\"?[ \t]*\n(?P<value>(?![^\n]*[#$%>] )[^\n\s]*)[ \t]*$",
        rf"(?:^|[\s;&(])(?P<name>[A-Z]{{1,20}}_VISIBLE_DEVICES)={_VALUE}(?=[ ]+(?:[A-Z_]+=\S+[ ]+)*(?:python|torchrun|"
        rf"accelerate|vllm|mpirun|deepspeed|bash|sh|\./|npu-smi|nvidia-smi)\b)",
    )
)
_COMMENTED: Final = pattern(r"[ \t]{0,20}#(?=[A-Za-z])", exact_case=True)
_ADVICE: Final = pattern(
    r"\b(?:consider|try|trying|please|should|could|recommend|suggest|passing|rerun|re-run|instead|you can|"
    r"for example|e\.g|"
    r"set the|setting|use|using|unless|if you)\b",
    re.IGNORECASE,
)
_PROSE: Final = pattern(
    r"[ ]*(?:[,.;:)]+[ ]+)?(?<=[ ])(?:to|for|and|or|if|before|when|is|was|as|in|on|environment|variable|does|did|not"
    r"|so|"
    r"but)\b(?! -)"
)


def _read(text: str) -> Iterator[Reading]:
    found: dict[str, str] = {}
    places: list[int] = []
    for place, name, value in sorted(_assignments(text)):
        if name not in found and _KNOWN.fullmatch(name) and not _is_commented(text, place):
            found[name] = value
            places.append(place)
    if found:
        first, last = (line_at(text, place) for place in (places[0], places[-1]))
        environment = Environment(variables=tuple(found.items()))
        yield Reading(source=READER.name, environment=environment, first_line=first, last_line=last)


def _is_commented(text: str, place: int) -> bool:
    """Return whether a line of a configuration is switched off: "#Environment=A=1"; "# A=1" follows root's prompt."""
    start = text.rfind("\n", 0, place) + 1
    return _COMMENTED.match(text, start) is not None


def _assignments(text: str) -> Iterator[tuple[int, str, str]]:
    for match in _SET_TO_LINE_END.finditer(text):
        yield match.start("name"), match["name"], match["value"].strip().strip('"')
    for match in _LINE.finditer(text):
        if match["how"] == "set " or (match["sign"] == ":" and not match["value"]):
            continue
        rest = text[match.end() : text.find("\n", match.end()) % (len(text) + 1)]
        if _PROSE.match(rest) or (match["sign"].strip() == ":" and rest.strip()):
            continue
        if "$(" in match["value"] or match["value"].startswith("str("):
            continue
        yield match.start("name"), match["name"], _unquoted(match["value"])
    for form in _MORE:
        for match in form.finditer(text):
            before = text[text.rfind("\n", 0, match.start("name")) + 1 : match.start("name")]
            if not _ADVICE.search(before[-200:]):
                yield match.start("name"), match["name"], _unquoted(match["value"])


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value.rstrip(",)")


READER = Reader(
    name="environment variables",
    signs=(
        *("_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_", "NVIDIA_", "HIP_", "HSA_", "ROC", "ASCEND_"),
        *("ATB_", "JAX_", "XLA_", "TPU_", "TF_", "NCCL_", "HCCL_", "PYTORCH_", "TORCH_", "VLLM_", "CONDA_"),
        *("VIRTUAL_ENV", "SLURM_", "COMMANDLINE_ARGS"),
    ),
    read=_read,
)
