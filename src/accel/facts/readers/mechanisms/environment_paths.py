r"""Find the Python of the environment that a text's paths belong to, if it is not the one on the path.

E:\RVC\runtime\lib\site-packages\torch                E:\RVC\runtime\python.exe
runtime\python.exe infer-web.py                       runtime\python.exe, in the folder that has runtime
E:\RVC\python310> .\python.exe                        E:\RVC\python310\python.exe: typed with its folder
D:\AI Tools\app\venv\Lib\site-packages                D:\AI Tools\app\venv\Scripts\python.exe
** Python executable: C:\…\ComfyUI\venv\Scripts\python.exe      venv\Scripts\python.exe, in the folder ComfyUI
C:\AI\Packages\ComfyUI\nodes.py                       C:\AI\Packages\ComfyUI\venv\Scripts\python.exe
/home/a/app/venv/lib/python3.11/site-packages         /home/a/app/venv/bin/python
/Users/a/.vllm/lib/python3.12/site-packages           /Users/a/.vllm/bin/python: an environment has any name
/home/a/miniconda3/envs/app/lib/python3.10/site-packages        /home/a/miniconda3/envs/app/bin/python

System-wide Python installations and conda's own folder are left out, because their pip is on the path. On Windows the
first environment counts; elsewhere an environment counts only if it is the only one, because a text with two may say
that it works in the other.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

FACT: Final = "environment-python"
_PACKAGES: Final = pattern(
    r"(?P<folder>[A-Za-z]:\\{1,2}(?:[\w.() -]{1,60}\\{1,2}){0,8}?[\w.-]{1,40})\\{1,2}lib\\{1,2}site-packages\\"
)
_EXECUTABLE: Final = pattern(
    r"(?P<folder>[A-Za-z]:\\{1,2}(?:[\w.() -]{1,60}\\{1,2}){0,8}?[\w.-]{1,40})\\{1,2}(?:Scripts\\{1,2})?python\.exe\b"
)
_RELATIVE: Final = pattern(  # "runtime\\python.exe infer-web.py": of a program's own folder
    r"(?<![\w\\/.:~-])(?P<folder>(?!Scripts)(?:[\w.-]{1,40}\\{1,2}){0,4}[\w.-]{1,40})\\{1,2}python\.exe\b"
)
_IN_ITS_FOLDER: Final = pattern(
    r"(?P<folder>[A-Za-z]:\\{1,2}(?:[\w.() -]{1,60}\\{1,2}){0,8}?[\w.-]{1,40})> {0,2}\.\\python(?:\.exe)?(?=\s|$)"
)
_PACKAGE: Final = pattern(  # the folder in which StabilityMatrix keeps each program with its own venv
    r"(?P<folder>[A-Za-z]:\\{1,2}(?:[\w.() -]{1,60}\\{1,2}){0,6}?Packages\\{1,2}"
    r"(?:ComfyUI|stable-diffusion-webui[\w-]{0,20}|SD\.Next|Fooocus[\w-]{0,20}|AI-Toolkit|OneTrainer|kohya_ss|reforge))\\"
)
_OF_PYTHON: Final = pattern(
    r"\\python[0-9._-]{0,6}$|conda|miniforge|mamba|\\envs\\|\\appdata\\|\\program files(?: \(x86\))?\\python"
)
_OWN: Final = pattern(r"^[A-Za-z]:\\(?!program files)[^\\]{1,60}\\(?:[^\\]{1,60}\\){0,6}python$")
_OF_CONDA: Final = pattern(r"conda|forge|mamba|^python[0-9._-]{1,6}$")
_BEFORE: Final = pattern(r"[A-Za-z]:\\[^\"'\n]{0,80}$")
_VENV: Final = pattern(r"\\(?!python)[.\w-]{0,20}env[\w-]{0,10}$")
_OF_POSIX: Final = pattern(
    r"(?<![\w./-])(?P<folder>(?:/[A-Za-z0-9_.-]{1,60}){2,10}?)/lib(?:64)?/python3\.[0-9]{1,2}/site-packages",
    exact_case=True,
)
_OF_SYSTEM: Final = pattern(  # Pythons whose pip is on the path, or that belong to a tool
    r"^/(?:usr|opt|nix|snap|Library|System)(?:/(?:local|python\w{0,9}|conda|homebrew\S{0,200}))?$|/\.local$|/\.pyenv/|/Cellar/"
    r"|/[a-z]{0,8}conda\d?$|/[a-z]{0,8}forge\d?$|/micromamba$|/\.cache/|/tmp/"
    r"|/(?:Versions|versions)/[\w.]{1,30}$"
)
_WHOLE: Final = pattern(r"[A-Za-z]:\\[A-Za-z0-9_.\\ ()-]{1,200}")
_SHORTENED: Final = "..."


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the environment's Python: its full path, or its relative path and folder if the path was shortened."""
    for found in (one for form in (_IN_ITS_FOLDER, _EXECUTABLE, _PACKAGES) for one in form.finditer(page.text)):
        folder = found["folder"].replace("\\\\", "\\")
        folder = folder.removesuffix("\\Scripts")
        own = ">" in found[0] or folder.lower().endswith("\\system\\python")
        own = own or (found[0].lower().endswith("python.exe") and _OWN.search(folder) is not None)
        if _OF_PYTHON.search(folder) and not own:
            continue
        inside = "\\Scripts\\python.exe" if _VENV.search(folder) else "\\python.exe"
        values = _within(folder, inside, 2 if own else 1)
        if values is not None:
            yield Noted(fact=FACT, values=values, text=found[0])
            return
    relative = next((one for one in _RELATIVE.finditer(page.text) if not _is_of_longer(page.text, one.start())), None)
    if relative is not None and not _OF_CONDA.search(relative["folder"]):
        folder = relative["folder"].replace("\\\\", "\\").removeprefix(".\\")
        first = folder.partition("\\")[0]
        yield Noted(
            fact=FACT, values=(("python", f"{folder}\\python.exe"), ("folder", f"that has {first}")), text=relative[0]
        )
        return
    if (package := _PACKAGE.search(page.text)) is not None:
        folder = package["folder"].replace("\\\\", "\\")
        if (values := _within(folder, "\\venv\\Scripts\\python.exe", 1)) is not None:
            yield Noted(fact=FACT, values=values, text=package[0])
            return
    hits = {found["folder"]: found[0] for found in _OF_POSIX.finditer(page.text)}
    of_posix = {folder: text for folder, text in hits.items() if not _OF_SYSTEM.search(folder)}
    if len(of_posix) == 1 and _SHORTENED not in (folder := next(iter(of_posix))):
        yield Noted(fact=FACT, values=(("python", f"{folder}/bin/python"),), text=of_posix[folder])


def _is_of_longer(text: str, start: int) -> bool:
    """Return whether a path that begins here goes on a path with a space: "C:\\Program Files\\x"."""
    return _BEFORE.search(text[max(0, start - 80) : start]) is not None


def _within(folder: str, inside: str, own: int) -> tuple[tuple[str, str], ...] | None:
    """Return the path of the Python; for a shortened path its end, and the folder in which to type it."""
    if _WHOLE.fullmatch(folder) and _SHORTENED not in folder:
        return (("python", f"{folder}{inside}"),)
    parts = folder.split("\\")
    named = "\\".join(parts[-own:])
    if len(parts) <= own + 1 or _SHORTENED in named or " " in named or not _VENV.search(folder):
        return None  # a path that was shortened leads nowhere
    where = parts[-own - 1]
    return (("python", f"{named}{inside}"), ("folder", where)) if where != _SHORTENED else None
