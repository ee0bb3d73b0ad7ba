"""Texts that are made to keep accel busy, or are merely big: each kind by name, of any size.

Kinds of one tool's output are made of a text that the tree holds: a new reader has its kinds as soon as it has a text.
"""

import base64
import json
import random
import string
from collections.abc import Callable

from hostile_lines import distinct, filled, letters
from hostile_outputs import of_readers, of_tree
from near_matches import partial_matches, signs_of_readers

SEED = 9
Make = Callable[[int], str]


def kinds() -> dict[str, Make]:
    """Return how each kind of text is made, by name."""
    return {
        **_one_line(),
        **_lines(),
        **_prose(),
        **_logs(),
        **_listings(),
        **_documents(),
        **of_readers(),
        **of_tree(),
    }


def _one_line() -> dict[str, Make]:
    signs, parts = signs_of_readers(), partial_matches()
    repeats = {
        "a": "a",
        "blanks": " ",
        "=": "=",
        "digits": "7",
        "dots": "1.",
        "|": "| ",
        "[": "[",
        "(": "(",
        "{": '{"a":',
        "<": "<a ",
        "\\": "\\",
        "quotes": '"',
        "apostrophes": "'a ",
        "backticks": "` ",
        "colons": "a: ",
        "commas": "0,",
        "slashes": "/usr/lib/",
        "words": "error torch cuda failed ",
        "CJK": "驱动版本不匹配",
        "combining characters": "e\u0301\u0302\u0303\u0304",
        "zero-width characters": "a\u200b\u200d",
        "escaped newlines": "RuntimeError: CUDA error\\n",
        "signs": " ".join(signs) + " ",
        "near matches": " ".join(parts) + " ",
    }
    return {
        f"one line of {name}": lambda size, unit=unit: (unit * (size // len(unit) + 1))[:size]
        for name, unit in repeats.items()
    }


def _lines() -> dict[str, Make]:
    signs, parts = signs_of_readers(), partial_matches()
    drawn = random.Random(SEED)
    return {
        "blank lines": lambda size: "\n" * size,
        "lines of blanks": lambda size: distinct(lambda n: " " * (n % 900) + letters(n), size),
        "lines of =": lambda size: distinct(lambda n: "=" * (n % 120) + letters(n), size),
        "lines of |": lambda size: distinct(lambda n: "|" * (n % 200) + letters(n), size),
        "lines of one letter": lambda size: distinct(lambda n: string.ascii_letters[n * 7 % 52], size),
        "lines of two words": lambda size: distinct(lambda n: f"{letters(n)} {letters(n * 31)}", size),
        "lines of 4000 letters": lambda size: distinct(lambda n: letters(n) * (4000 // len(letters(n))), size),
        "lines of 4000 blanks": lambda size: distinct(lambda n: letters(n) + " " * 4000 + "x", size),
        "signs": lambda size: filled([f"{sign} {'x' * 20} #n" for sign in signs], size),
        "signs and blanks": lambda size: filled([sign + " " * 300 + "x#n" for sign in signs], size),
        "near matches": lambda size: filled([*parts], size),
        "near matches, lettered": lambda size: distinct(lambda n: parts[n % len(parts)] + " " + letters(n), size),
        "near matches, over and over": lambda size: distinct(lambda n: (parts[n % len(parts)] + " ") * 20, size),
        "random letters": lambda size: distinct(
            lambda n: "".join(drawn.choices("abcdefgh 0123456789.:=|-_/()[]", k=100)), size
        ),
        "base64": lambda size: distinct(lambda n: base64.b64encode(drawn.randbytes(57)).decode(), size),
        "hexadecimal": lambda size: distinct(lambda n: f"{n * 16:08x}  " + drawn.randbytes(16).hex(" "), size),
        "carriage returns": lambda size: "12%|\r" * (size // 5),
        "progress bars": lambda size: distinct(
            lambda n: f"\r{letters(n)}: {n % 100}%|{'█' * (n % 40)}| {n}/900 [00:{n % 60}<00:10, 7it/s]", size
        ),
        "terminal codes": lambda size: "\x1b[31m\x1b]0;" * (size // 9),
        "coloured lines": lambda size: distinct(lambda n: f"\x1b[3{n % 8}m{letters(n)}\x1b[0m error\x1b[K", size),
        "Windows line ends": lambda size: distinct(lambda n: f"error {letters(n)}\r", size),
    }


def _prose() -> dict[str, Make]:
    drawn = random.Random(SEED)
    words = [*("error", "driver", "torch", "failed", "cuda", "version", "install", "the", "a", "not", "found", "of")]
    words += ["with", "gpu", "device", "help", "try", "works"]
    return {
        "prose": lambda size: distinct(lambda n: " ".join(drawn.choices(words, k=14)) + ".", size),
        "prose, one line": lambda size: " ".join(drawn.choices(words, k=size // 5))[:size],
        "paragraphs": lambda size: distinct(lambda n: " ".join(drawn.choices(words, k=90)) + f" {letters(n)}.\n", size),
        "Chinese": lambda size: distinct(lambda n: "驱动版本不匹配" * 20 + letters(n), size),
        "Chinese prose": lambda size: distinct(
            lambda n: "".join(drawn.choices("驱动版本不匹配显卡内存错误无法找到安装设备，。", k=60)), size
        ),
        "combining characters": lambda size: distinct(lambda n: "e\u0301\u0302" * 30 + letters(n), size),
        "quotes": lambda size: distinct(lambda n: "> " * (n % 300) + letters(n), size),
        "quoted errors": lambda size: distinct(
            lambda n: ">" * (n % 9) + f" RuntimeError: CUDA error {letters(n)}", size
        ),
        "fences": lambda size: distinct(lambda n: "```" + letters(n), size),
        "Markdown tables": lambda size: distinct(
            lambda n: f"| {letters(n)} | torch 2.{n % 9} | {n} |" + "\n|---|---|---|" * (not n % 40), size
        ),
        "lists": lambda size: distinct(lambda n: "  " * (n % 30) + f"- {letters(n)}: error", size),
        "headings": lambda size: distinct(lambda n: "#" * (1 + n % 6) + f" Machine {letters(n)}\nGPU {n}", size),
        "machines": lambda size: distinct(
            lambda n: f"On machine {letters(n)}:\nGPU {n % 8}: NVIDIA A100\ntorch 2.{n % 9}.0", size
        ),
        "links": lambda size: distinct(lambda n: f"[{letters(n)}](https://example.org/{letters(n)}/issues/{n})", size),
        "entities": lambda size: "&amp;" * (size // 5),
        "details": lambda size: distinct(
            lambda n: f"<details><summary>{letters(n)}</summary>\nerror\n</details>", size
        ),
        "diff": lambda size: distinct(lambda n: f"{'+- @'[n % 4]}{letters(n)} = torch.cuda.is_available()", size),
        "source code": lambda size: distinct(
            lambda n: f"    def {letters(n)}(self, x: int) -> None: raise RuntimeError('{n}')", size
        ),
        "questions": lambda size: distinct(
            lambda n: f"I tried {letters(n)} but it did not work, should I install torch {n}?", size
        ),
    }


def _logs() -> dict[str, Make]:
    trace = "Traceback (most recent call last):\n" + '  File "/srv/{0}.py", line 7, in {0}\n    import torch\n' * 9
    frame = '  File "/srv/{0}.py", line {1}, in {0}\n    return {0}({1})'
    return {
        "timestamps": lambda size: distinct(
            lambda n: f"2026-01-01 00:{n // 60 % 60:02}:{n % 60:02},{n % 1000:03} INFO step {letters(n)}", size
        ),
        "log of errors": lambda size: distinct(
            lambda n: f"2026-01-01T00:00:{n % 60:02}Z ERROR {letters(n)} CUDA error {n}: failed", size
        ),
        "log of a container": lambda size: distinct(
            lambda n: f"web-{n % 9}  | {letters(n)} RuntimeError: CUDA error", size
        ),
        "kernel lines": lambda size: distinct(
            lambda n: (
                f"[{n}.000001] NVRM: Xid (PCI:0000:{n % 256:02x}:00): {n % 150}, pid={n}, {letters(n)} Ch 00000008"
            ),
            size,
        ),
        "bus errors": lambda size: distinct(
            lambda n: f"pcieport 0000:{n % 256:02x}:00.0: AER: Corrected error message {letters(n)} received", size
        ),
        "kernel stacks": lambda size: distinct(lambda n: f"[{n}.000001]  ? {letters(n)}+0x{n:x}/0x100 [nvidia]", size),
        "tracebacks": lambda size: distinct(lambda n: trace.format(letters(n)) + f"{letters(n)}Error: no", size),
        "one traceback": lambda size: (
            "Traceback (most recent call last):\n"
            + distinct(lambda n: frame.format(letters(n), n), size - 80)
            + "\nRuntimeError: CUDA error: out of memory"
        ),
        "chained tracebacks": lambda size: distinct(
            lambda n: (
                f"Traceback (most recent call last):\n{frame.format(letters(n), n)}\nValueError: {letters(n)}\n\n"
                "During handling of the above exception, another exception occurred:\n"
            ),
            size,
        ),
        "exceptions": lambda size: distinct(
            lambda n: f"{letters(n).title()}Error: CUDA error: {letters(n)} failed with error {n}", size
        ),
        "error numbers": lambda size: distinct(
            lambda n: f"cuda error {n}, hip error {n}, aclrt ret {n}, errno {n} {letters(n)} rc={n}", size
        ),
        "NCCL": lambda size: distinct(
            lambda n: f"host:{n}:{n} [{n % 8}] NCCL INFO Channel {letters(n)}/0 : 0[{n}] -> 1[{n}] via P2P", size
        ),
        "segments of torch": lambda size: distinct(
            lambda n: f"Tried to allocate {n}.00 MiB. GPU {n} has a total capacity of {n} GiB {letters(n)}", size
        ),
        "not found": lambda size: distinct(
            lambda n: f"ImportError: lib{letters(n)}.so.{n}: cannot open shared object file", size
        ),
        "no module": lambda size: distinct(lambda n: f"ModuleNotFoundError: No module named '{letters(n)}'", size),
        "compiler": lambda size: distinct(
            lambda n: f'/src/{letters(n)}.cu({n}): error: identifier "{letters(n)}" is undefined', size
        ),
    }


def _listings() -> dict[str, Make]:
    table = (
        "| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2     |\n"
        "|   {0}  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
        "| N/A   30C    P0    61W / 400W |   {0} MiB / 81920MiB |      0%      Default |"
    )
    row = (
        "| {0:3}  NVIDIA {1}         On  | 00000000:{0:02X}:00.0 Off |                    0 |\n"
        "| N/A   30C    P0    61W / 400W |   {0} MiB / 81920MiB |      0%      Default |\n" + "+" + "-" * 77 + "+"
    )
    return {
        "tables": lambda size: distinct(lambda n: table.format(n % 1000), size),
        "one table of many rows": lambda size: (
            table.format(0) + "\n" + distinct(lambda n: row.format(n, letters(n)), size)
        ),
        "columns": lambda size: (
            "NAME  ID  MEMORY  STATE\n" + distinct(lambda n: f"{letters(n)}  {n}  {n} MiB  OK", size)
        ),
        "CSV": lambda size: (
            "index, name, memory.total [MiB], driver_version\n"
            + distinct(lambda n: f"{n}, NVIDIA {letters(n)}, {n} MiB, 535.{n}", size)
        ),
        "key and value": lambda size: distinct(lambda n: f"{letters(n)} : {n}", size),
        "sections": lambda size: distinct(
            lambda n: (
                f"GPU {n:08x}:00:00.0\n    Product Name : {letters(n)}\n    FB Memory Usage\n        Total : {n} MiB"
            ),
            size,
        ),
        "packages": lambda size: distinct(lambda n: f"{letters(n)}-torch   {n}.{n}.0+cu{n}", size),
        "pip list": lambda size: (
            "Package   Version\n--------- -------\n" + distinct(lambda n: f"{letters(n)} {n}.{n}", size)
        ),
        "pip freeze": lambda size: distinct(lambda n: f"{letters(n)}=={n % 90}.{n}.1", size),
        "conda list": lambda size: (
            "# packages in environment at /opt/conda:\n#\n# Name  Version  Build  Channel\n"
            + distinct(lambda n: f"{letters(n)}  {n}.1  py311_{n}  conda-forge", size)
        ),
        "requirements unmet": lambda size: distinct(
            lambda n: f"{letters(n)} {n}.0 requires torch=={n}.1, but you have torch {n}.2 which is incompatible.", size
        ),
        "lspci": lambda size: distinct(
            lambda n: (
                f"{n % 256:02x}:{n // 256 % 32:02x}.0 3D controller: NVIDIA Corporation {letters(n)} [10de:{n:04x}]"
            ),
            size,
        ),
        "lsmod": lambda size: (
            "Module                  Size  Used by\n" + distinct(lambda n: f"{letters(n)}  {n}  {n % 9} nvidia", size)
        ),
        "ps": lambda size: (
            "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n"
            + distinct(lambda n: f"u {n} 0.1 0.1 {n} {n} ? D 00:00 0:00 python {letters(n)}.py", size)
        ),
        "ls -l": lambda size: distinct(
            lambda n: f"crw-rw-rw- 1 root root 195, {n} Jan  1 00:00 /dev/nvidia{letters(n)}", size
        ),
        "variables": lambda size: distinct(lambda n: f"export CUDA_{letters(n).upper()}={letters(n)}", size),
        "variables of a printed dictionary": lambda size: (
            "environ({" + "".join(f"'{letters(n).upper()}': '{n}', " for n in range(size // 18))[:size] + "})"
        ),
        "commands": lambda size: distinct(
            lambda n: f"$ docker run --gpus all -e A={letters(n)} {letters(n)} bash", size
        ),
        "prompts": lambda size: distinct(lambda n: f"user@host{letters(n)}:~$ nvidia-smi", size),
        "root's prompts": lambda size: distinct(lambda n: f"[root@host{n} ~]# {letters(n)} --version", size),
        "Python's prompts": lambda size: distinct(lambda n: f">>> torch.{letters(n)}()\nTrue", size),
        "continued commands": lambda size: distinct(lambda n: f"pip install {letters(n)} \\", size),
        "Dockerfile": lambda size: distinct(lambda n: f"RUN pip install torch=={n}.0 {letters(n)} && ldconfig", size),
        "device names": lambda size: distinct(lambda n: f"NVIDIA GeForce RTX {n % 9000} {letters(n)}", size),
        "devices listed": lambda size: distinct(
            lambda n: f"GPU {n}: NVIDIA A100-{letters(n)} (UUID: GPU-{n:08x}-1111-2222-3333-{n:012x})", size
        ),
        "links between devices": lambda size: _matrix(size),
    }


def _matrix(size: int) -> str:
    """Return `nvidia-smi topo -m` of so many devices that it makes up a size."""
    wide = max(2, int((size / 5) ** 0.5))
    rows = ["\t" + "\t".join(f"GPU{n}" for n in range(wide))]
    rows += [f"GPU{n}\t" + "\t".join("X" if n == m else "NV12" for m in range(wide)) for n in range(wide)]
    return "\n".join(rows)


def _documents() -> dict[str, Make]:
    card = '"card{0}": {{"Device Name": "AMD Instinct MI300X", "VRAM Total Memory (B)": "{0}", "GUID": "{1}"}}'
    gpu = "<gpu id='{0:08X}:00:00.0'><product_name>NVIDIA A100</product_name><uuid>GPU-{1}</uuid></gpu>"
    return {
        "XML": lambda size: "<nvidia_smi_log>" + distinct(lambda n: f"<gpu id='{n}'><{letters(n)}>", size),
        "XML of many devices": lambda size: (
            "<?xml version='1.0'?>\n<nvidia_smi_log>\n"
            + distinct(lambda n: gpu.format(n, letters(n)), size)
            + "\n</nvidia_smi_log>"
        ),
        "XML of one line": lambda size: (
            "<nvidia_smi_log>" + "".join(gpu.format(n, n) for n in range(size // 130)) + "</nvidia_smi_log>"
        ),
        "XML, nested": lambda size: "<nvidia_smi_log>" + "<gpu>" * (size // 5),
        "JSON, nested": lambda size: '{"card0": ' * (size // 10),
        "JSON, nested and closed": lambda size: '{"card0": ' * (size // 11) + "1" + "}" * (size // 11),
        "JSON of many cards": lambda size: "{" + ", ".join(card.format(n, letters(n)) for n in range(size // 90)) + "}",
        "JSON of many cards, cut": lambda size: (
            "{" + ", ".join(card.format(n, letters(n)) for n in range(size // 80))
        )[:size],
        "JSON of many cards, in lines": lambda size: (
            "{\n" + distinct(lambda n: card.format(n, letters(n)) + ",", size) + '"end": 1}'
        ),
        "JSON documents": lambda size: distinct(lambda n: "{" + card.format(n, letters(n)) + "}", size),
        "JSON of numbers": lambda size: '{"card0": [' + ",".join(str(n) for n in range(size // 7)) + "]}",
        "JSON of long texts": lambda size: json.dumps({"card0": {"Device Name": "A" * size}}),
        "JSON, opened": lambda size: distinct(lambda n: f'{{"card{n}": {{"{letters(n)}": [', size),
        "logs as JSON": lambda size: distinct(
            lambda n: json.dumps({"level": "error", "n": n, "message": f"CUDA error {letters(n)}"}), size
        ),
        "notebook": lambda size: json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "outputs": [{"ename": letters(n), "evalue": "CUDA error"}]}
                    for n in range(size // 90)
                ]
            },
            indent=1,
        ),
        "YAML": lambda size: distinct(lambda n: "  " * (n % 12) + f"{letters(n)}: [nvidia.com/gpu, {n}]", size),
        "TOML": lambda size: distinct(lambda n: f"[{letters(n)}]\ntorch = '{n}'", size),
        "printed dictionary": lambda size: (
            "{" + ", ".join(f"'{letters(n)}': {{'torch': '{n}'}}" for n in range(size // 28)) + "}"
        ),
    }
