"""Recognise toolkit paths in a text: malformed ones, existing ones, and the values of variables.

[1/11] :/usr/local/cuda-12.8/bin/nvcc …            a list instead of one folder: CUDA_HOME=$CUDA_HOME:/usr/local/…
-isystem :/usr/local/cuda-12.8/include             likewise
export CUDA_HOME=$CUDA_HOME:/usr/local/cuda-11.8   the line that causes it
$ find / -name "libcudnn*"                         an existing library, with its folder
/home/u/.local/lib/python3.8/site-packages/nvidia/cudnn/lib/libcudnn_ops_infer.so.8
find / -name libX.so -> /opt/conda/lib/libX.so     likewise, with its answer on the same line
$ ls /usr/local/cuda-11.8/nvvm/lib64               likewise
-rwxr-xr-x 1 root root 190880 /usr/local/cuda/bin/nvcc     an existing compiler
lrwxrwxrwx … /usr/local/cuda -> /usr/local/cuda-13.0/      an existing toolkit
LD_LIBRARY_PATH="/usr/local/cuda-11.7/lib64"       assigned but not exported, so programs do not see it
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

_FOLDERS: Final = r"(?P<list>(?:/[\w.+/-]{0,120}(?:cuda|rocm|hip)[\w.+/-]{0,80})?(?::/[\w.+/-]{1,160}){1,8}?)"
_LISTS: Final = (
    pattern(rf"(?:(?<=[\s'\"`])|^){_FOLDERS}/bin/(?:nvcc|hipcc|ptxas)(?![\w.-])"),
    pattern(rf"(?:-I|-isystem)[ ]?{_FOLDERS}/include(?![\w.-])"),
)
_NOT_LISTS: Final = ("LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "PATH=", "PATH:")  # these contain lists of folders
_ASSIGNED: Final = pattern(
    r"(?<![\w$])(?P<name>[A-Z][A-Z0-9_]{2,40})[ ]?=[ ]?(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';]+)"
)
_ECHOED: Final = pattern(r"\becho \"?\$\{?(?P<name>[A-Z][A-Z0-9_]{2,40})\}?")
_COLON: Final = pattern(r"(?<![\w/}]):(?P<folder>/[\w.+/-]{2,160}?)(?=[.,;]?(?:\s|$))")
_LISTED: Final = pattern(
    r"^(?:[dl-][rwxsStT-]{9}[.+@]?\s[^\n]{0,120}?\s|\d{1,12}\s+\d{1,12}\s+[^\n]{0,120}?\s)?(?P<path>/[^\s:'\",;()]{1,300}?)[*@/:]?(?:\s+->\s+(?P<to>\S+))?$"
)
_FILE: Final = r"[`'\"]?(?P<path>(?:/|home/)[^\s:'\"`,;()]{1,300}\.so(?:\.\d{1,4}){0,3})(?![\w/])"
_PLACED: Final = (  # "But it is at `/home/a/venv/lib/…/libcudnn.so.8`"
    pattern(
        rf"\b(?:is|are|lies?|located|exists?|found|find it|have it|there|installed)(?:[ ]there)?[ ](?:at|in|under)"
        rf"[ :]{{1,2}}{_FILE}"
    ),
    pattern(rf"(?:在|位于)[ ]?{_FILE}"),
    pattern(rf"\b(?:find|locate|whereis)[ ][^\n]{{1,120}}?(?:->|→|=>|:)[ ]?{_FILE}"),
)
_LIBRARY: Final = pattern(r"(?P<folder>/.*)/(?P<name>lib[\w+-]+(?:\.\d{1,3})?\.so(?:\.[\w.]+)?|[\w+-]+\.dll)")
_TOOLKIT: Final = pattern(
    r"(?P<folder>(?:/[\w.+-]+){0,6}?/cuda-(?P<version>\d{1,2}\.\d{1,2}))(?:[/.]\S*)?", exact_case=True
)
_LS: Final = pattern(
    r"(?:^|[$#>%][ ]+)(?:ls|ll|dir)(?:[ ]+-\w+)*[ ]+(?P<folder>/[\w.+/-]{1,200})\*?[ ]*$", exact_case=True
)
_NAMED: Final = pattern(
    r"(?<![\w/])(?:lib[\w+-]+\.so(?:\.[\w.]+)?|cuda-\d{1,2}\.\d{1,2}|nvcc)(?![\w/-])", exact_case=True
)
_PROMPT: Final = pattern(r"[$#%>][ ]+\S")
_MOST_LISTED: Final = 60
_WRONG: Final = "toolkit-home-wrong"
_CACHES: Final = ("flashinfer", "torch_extensions")  # folders of build files that name the compiler
_LONGEST: Final = 4000


def recognise(page: Page) -> Iterator[Noted]:
    """Yield what the text shows about toolkit paths."""
    homes = tuple((page.specs.table("system/places") or {}).get("homes", ()))
    for number, line in enumerate(page.lines, 1):
        if len(line) > _LONGEST or ("/" not in line and "\\" not in line):
            continue
        if number > 1 and _ECHOED.search(page.lines[number - 2]) and "/" not in page.lines[number - 2]:
            continue  # the value of a variable, which may name what is not there
        place = page.on_line(number)
        for fact, values in _in_line(line, homes):
            if fact == _WRONG:
                told = dict(values)
                values += (("setting", f"{told['variable']}={told['folder']}"),)
                values += tuple(("cache", name) for name in _CACHES if name in page.text)[:1]
            yield Noted(fact=fact, values=values, **place)
        if (found := _LS.search(line)) is not None:
            yield from _in_listing(page, number, found["folder"].rstrip("/"))
    if ".so." in page.text or "64_" in page.text:
        from accel.facts.readers.mechanisms._library_releases import libraries_shown  # many reports name no library

        yield from libraries_shown(page)


def _in_line(line: str, homes: tuple[str, ...]) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    wrong = next(_lists(line, homes), None)
    if wrong is not None:
        yield _WRONG, wrong
    if "LD_LIBRARY_PATH" in line and (value := _unexported(line)) is not None:
        yield "library-path-unexported", (("value", value),)
    placed = next((hit for form in _PLACED if ".so" in line and (hit := form.search(line))), None)
    if placed is not None:
        path = placed["path"]
        if library := _LIBRARY.fullmatch(path if path.startswith("/") else f"/{path}"):
            yield "library-shown", (("folder", library["folder"]), ("name", library["name"]))
    found = _LISTED.search(line.strip())
    if found is None or "No such file" in line:
        return
    path = found["path"]
    if library := _LIBRARY.fullmatch(path):
        yield "library-shown", (("folder", library["folder"]), ("name", library["name"]))
    elif path.endswith("/bin/nvcc"):
        yield "compiler-shown", (("folder", path.removesuffix("/nvcc")),)
    for shown in (path, found["to"] or ""):
        if toolkit := _TOOLKIT.fullmatch(shown.rstrip("/")):
            yield "toolkit-shown", (("path", toolkit["folder"]), ("version", toolkit["version"]))


def _lists(line: str, homes: tuple[str, ...]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the lists of folders used in place of a toolkit's single folder, each with its last folder."""
    for found in _ASSIGNED.finditer(line):
        value = found["value"].strip("\"'")
        parts = value.split(";" if "\\" in value else ":")
        if found["name"] in homes and "//" not in value and len(value.split("\\")) + len(parts) > 2:
            folder = next((part for part in reversed(parts) if part.startswith("/") or part[1:3] == ":\\"), None)
            if folder is not None and len(parts) > 1:
                yield ("variable", found["name"]), ("path", value), ("folder", folder.rstrip("/"))
    for found in (hit for form in _LISTS for hit in form.finditer(line)):
        if not any(name in line[: found.start()][-200:] for name in _NOT_LISTS):
            folder = found["list"].rpartition(":")[2]
            yield ("variable", "CUDA_HOME"), ("path", found["list"]), ("folder", folder)
    said = _ECHOED.search(line)
    if said is not None and said["name"] in homes and (value := _COLON.search(line)) is not None:
        yield ("variable", said["name"]), ("path", f":{value['folder']}"), ("folder", value["folder"])


def _unexported(line: str) -> str | None:
    """Return the LD_LIBRARY_PATH that a line only assigns in the shell; `env` prints values without quotes."""
    found = _ASSIGNED.fullmatch(line.strip().removeprefix("$ "))
    if found is None or found["name"] != "LD_LIBRARY_PATH":
        return None
    quoted = found["value"][:1] in "\"'" or "$" in found["value"] or line.strip().startswith("$ ")
    return found["value"].strip("\"'") if quoted else None


def _in_listing(page: Page, number: int, folder: str) -> Iterator[Noted]:
    """Yield the libraries and toolkits in the `ls` output of a folder, up to the next prompt or blank line."""
    for at, line in enumerate(page.lines[number : number + _MOST_LISTED], number + 1):
        if not line.strip() or _PROMPT.search(line) or "No such file" in line:
            return
        place = page.on_line(at)
        for name in dict.fromkeys(_NAMED.findall(line)):
            if name == "nvcc":
                values: tuple[str, tuple[tuple[str, str], ...]] = ("compiler-shown", (("folder", folder),))
            elif name.startswith("cuda-"):
                values = ("toolkit-shown", (("path", f"{folder}/{name}"), ("version", name.removeprefix("cuda-"))))
            else:
                values = ("library-shown", (("folder", folder), ("name", name)))
            yield Noted(fact=values[0], values=values[1], **place)
