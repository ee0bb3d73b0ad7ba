"""Read the CUDA and cuDNN versions that people state in forms, lists and sentences, except what the driver supports.

    - CUDA/cuDNN version: 10.2.89            CUDA/cuDNN version: CUDA 11.3 cuDNN 8200
    ### CUDA/cuDNN version                   and below it: 11.2/8.1
    CUDA Tool Kit, VERSION 12.2              CUDNN (VERSION 8.9)                          cudnn: 6.0.21
    nvcc 12.6, nvcc V12.4.131
    I use CUDA 10.1 with mxnet-cu100         CUDA 11.2.152                                CUDA==12.1 and cuDNN==8.9
    Execution Provider Library Version, and below it: CUDA 12.2
    C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4          conda install cudatoolkit=10.0

Left out versions that are required, supported, compared or asked for; what a program was built with; the newest version
         that a driver supports (nvidia-smi's table), which is not an installation
"""

from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Package, Toolkit
from accel.text.pattern import pattern
from accel.text.versions import dotted_cudnn
from accel.vendors.contract.backend import Reader, Reading

_END: Final = r"(?!\d|\.\d|[A-Za-z0-9_.]*[A-Za-z*%_-]|[ ]drivers?\b)"
_CLAUSES: Final = pattern(r"[,;](?=[^\n]{0,3}[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[,;]", exact_case=True)  # of Chinese
_CUDA: Final = pattern(
    r"(?<![A-Za-z0-9_./=-])(?:NVIDIA[ ])?(?:cuda(?:[ -]?tool[ -]?kit)?|nvcc)(?:[ ]?/[ ]?cudnn)?(?:[ ]library)?,?"
    r"(?:[ ]?[(（]?(?:versions?|版本号?))?(?:\*\*)?[ -]{0,3}"
    r"(?:(?:is|are|was)[ ]|[:=]{1,2}|[(：为是]|installed[ :]{1,2})?[ ]{0,3}"
    rf"v?(?P<cuda>\d{{1,2}}(?:\.\d{{1,2}}(?:\.\d{{1,3}})?)?){_END}"
    r"(?:[ ]?/[ ]?v?(?P<after>\d(?:\.\d{1,2}){1,2}))?"
)
_CONDA: Final = pattern(r"(?<![\w-])(?:cudatoolkit|cuda-toolkit|cuda-version)={1,2}(?P<cuda>\d{1,2}(?:\.\d{1,2})?)")
_FOLDER: Final = pattern(r"GPU Computing Toolkit[\\/]+CUDA[\\/]+v(?P<cuda>\d{1,2}\.\d{1,2})")
_CUDNN: Final = pattern(
    r"(?<![A-Za-z0-9_./-])cudnn,?(?:[ ]?[(（]?(?:versions?|版本号?))?(?:\*\*)?[ ]{0,3}"
    r"(?:(?:is|was)[ ]|[:=]{1,2}|[(：为是])?[ ]{0,3}"
    rf"v?(?P<cudnn>[5-9]\d{{3,4}}|\d(?:\.\d{{1,2}}){{0,3}}){_END}"
)
_CUDNN_PACKAGE: Final = pattern(  # of a distribution: it says what is installed, whatever the sentence is about
    r"(?<![\w-])(?:lib)?cudnn\d(?:-cuda-\d{1,2}(?:-\d{1,2})?)?[ =]{1,2}(?P<cudnn>\d(?:\.\d{1,3}){2,3})(?![\w.])"
)
_HEADING: Final = pattern(
    r"^(?:#{1,5}[ ]|[-*][ ])?(?:\*\*)?(?:CUDA(?:/cuDNN)?|cuDNN|Execution Provider Library)[ ]version"
    r"[ ]?:?(?:\*\*)?:?[ ]*$"
)
_BARE: Final = pattern(
    r"^v?(?P<cuda>\d{1,2}\.\d{1,2})(?:\.\d{1,3})?"
    r"(?:[ ]?[/,][ ]?(?:cudnn[ ])?v?(?P<cudnn>\d(?:\.\d{1,2}){0,2}))?[ ]*$"
)
_ORT: Final = pattern(
    r"(?<![\w/])(?:onnxruntime[-_](?:gpu|win-x64-gpu|linux-x64-gpu)|onnx[ ]?runtime"
    r"|Microsoft\.ML\.OnnxRuntime(?P<nuget>\.Gpu(?:\.\w{3,8})?)?)"
    r"(?:[ ][(（]?(?:NuGet[ ])?package)?,?(?:[ ]?[(（]?versions?)?(?:\*\*)?"
    r"(?:[ ]{4,30}|\"[ ]Version=\"|[ ]{0,3}(?:(?:is|was)[ ]|[:=]{1,2}|[(@-])?[ ]{0,3})"
    rf"v?(?P<version>1\.\d{{1,2}}(?:\.\d{{1,2}})?){_END}"
)
_ORT_HEADING: Final = pattern(r"^(?:#{1,5}[ ]|\*\*)?ONNX Runtime Version(?: or Commit ID)?[ ]?:?(?:\*\*)?[ ]*$")
_ORT_BARE: Final = pattern(
    r"^(?:v|ort[ ]?|onnxruntime(?:-gpu)?[ =]{1,2})?(?P<version>1\.\d{1,2}(?:\.\d{1,2})?)(?![\w.])"
)
# Distributions with CUDA in the name: a sentence that names one says what is installed, not its release.
_OF_CUDA: Final = pattern(
    r"(?<![\w/-])(?P<name>mxnet-cu\d{2,3}(?:mkl)?|cupy-cuda\d{2,3}x?|spconv-cu\d{3}|faiss-gpu-cu\d{2})(?![\w-])"
)
_NOT_HERE: Final = pattern(
    r"\b(?:requires?|required|need(?:s|ed)?|compiled?|built|build|expects?|expected|supports?|supported|compatib\w*"
    r"|incompatible|recommend\w*|should|must|latest|or (?:newer|later|higher|above)|and above|at least|minimum|instead"
    r"|Driver Version|Driver API|Runtime API|used to build|torch\.version|download|works? with|worked|please|tested"
    r"|(?<!conda )(?<!pip )install(?:ing)?|upgrade|driver serves|if you|for example|header|source was|mismatch\w*"
    r"|detected|copy|reporting|failed to initialize|PyTorch \S{1,24} with)\b|https?://|>=|<=|需要|支持|要求|对应|推荐"
)
STATED_CUDA: Final = "cuda-stated"
STATED_CUDNN: Final = "cudnn-stated"
STATED_ORT: Final = "onnxruntime-stated"
STATED_ORT_NUGET: Final = "onnxruntime-nuget-stated"
_LONGEST: Final = 400
_OLDEST, _NEWEST = 6, 14  # CUDA major versions that a bare number may belong to


def _read(text: str) -> Iterator[Reading]:
    lines = text.split("\n")
    found: dict[tuple[str, str], None] = {}
    packages: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if len(line) <= _LONGEST:
            told = (one for clause in _CLAUSES.split(line) for one in _in_line(clause))
            here = (*told, *_of_programs(line)) or tuple(_below(lines, number))
            found.update(dict.fromkeys(here))
            if "-cu" in line and not _NOT_HERE.search(line):
                packages.update(dict.fromkeys(one["name"].lower() for one in _OF_CUDA.finditer(line)))
    if found or packages:
        toolkits = tuple(Toolkit(name=name, version=version) for name, version in found)
        named = tuple(Package(name=name, version=None) for name in packages)
        yield Reading(source=READER.name, environment=Environment(toolkits=toolkits, packages=named or None))


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    if "cud" not in line.lower() and "nvcc" not in line:
        return
    for found in _CUDNN_PACKAGE.finditer(line):
        yield STATED_CUDNN, found["cudnn"]
    if _NOT_HERE.search(line):
        return
    for form in (_CUDA, _CONDA, _FOLDER):
        for found in form.finditer(line):
            if _OLDEST <= int(found["cuda"].partition(".")[0]) <= _NEWEST and not _is_asked(line, found.end()):
                yield STATED_CUDA, found["cuda"]
                if form is _CUDA and found["after"]:
                    yield STATED_CUDNN, found["after"]
    for found in _CUDNN.finditer(line):
        version = found["cudnn"]
        yield STATED_CUDNN, dotted_cudnn(version) if len(version) > 3 else version


def _is_asked(line: str, place: int) -> bool:
    """Return whether the sentence that names a version is a question."""
    rest = line[place : place + 80]
    return "?" in rest and "." not in rest.partition("?")[0]


def _of_programs(line: str) -> Iterator[tuple[str, str]]:
    """Yield the ONNX Runtime that a line names; NuGet's, which is not a Python package, gets a separate name."""
    if "onnx" in line.lower() and not _NOT_HERE.search(line):
        for found in _ORT.finditer(line):
            yield STATED_ORT_NUGET if found["nuget"] else STATED_ORT, found["version"]


def _below(lines: list[str], number: int) -> Iterator[tuple[str, str]]:
    """Yield what the first non-blank line below a form's heading says; nothing if the line is not a heading."""
    heading = lines[number - 1].strip()
    of_program = _ORT_HEADING.match(heading)
    if not of_program and not _HEADING.match(heading):
        return
    first = next((line.strip() for line in lines[number : number + 3] if line.strip()), "")
    if of_program:
        if (bare := _ORT_BARE.match(first)) is not None:
            yield STATED_ORT, bare["version"]
    elif (bare := _BARE.match(first)) is not None:
        yield STATED_CUDA, bare["cuda"]
        if bare["cudnn"]:
            yield STATED_CUDNN, bare["cudnn"]


READER: Final = Reader(
    name="typed CUDA versions", signs=("cuda", "cudnn", "onnx", "Execution Provider Library"), read=_read
)
