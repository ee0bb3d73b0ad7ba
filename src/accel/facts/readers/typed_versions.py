"""Read versions that people type, and that programs print on one line.

    torch 2.1.2        - PyTorch: 2.3.1+cu121        Torch 2.0.1+cu118        torch_npu 2.1.0 CANN 8.0.RC2 numpy 2.0.1
    jax v0.4.11, jaxlib v0.4.11.dev20230517+cuda11.cudnn86
    - PyTorch Version: 1.8 (torch-1.8.0+rocm4.0.1-cp39-cp39-linux_x86_64.whl)          the wheel's name says more
    INFO     Torch backend: nVidia CUDA 12.8 cuDNN 90701        YOLOv5 v4.0-14-gb75c432 torch 1.7.1 CPU
    PyTorch 2.2.0+cu121 with CUDA 1201 (you have 2.2.0+cpu)     the installed version is in brackets
    running torch 12.8 nightly on a 5090                        no release of torch: it is built for CUDA 12.8
    ### TensorFlow version, and below it: TF 2.18               a form's heading and its answer
    - Python 3.9.1     Running python 3.10.9 in a venv     tf 2.16.1 on windows 11
    用的torch-npu和torch版本都是2.4.0     MindSpore版本为2.2.14
    it fails with torch 2.5.1.      since I updated to PyTorch 2.8 with CUDA 12.8: …      torch 2.5.1+cu124 is installed

Lines that require, recommend, compare or ask are ignored. A bare "CUDA: 12.2" may be the driver's, the toolkit's or the
build's, so it is ignored too. "CPU" after torch's version is the device in use, not the build.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.frameworks import frameworks_of
from accel.facts.readers.package import package_of
from accel.model.dataclass import replace
from accel.model.environment import Environment, Framework, Package
from accel.model.merge_environment import RUNNING
from accel.text.pattern import pattern
from accel.text.printed_dict import with_printed_dicts
from accel.text.versions import VERSION, dotted_cudnn, normalised, variant_of
from accel.vendors.contract.backend import Reader, Reading

_NAMES: Final = (
    r"py ?torch|torch[_-]npu|torch[_-]?vision|torch[_-]?audio|torch|torchao|jaxlib|jax|flax|tensor ?flow(?:-gpu|"
    r"-cpu)?|flash[_-]attn|"
    r"flash[_-]?attention(?:[_-]2)?|flashinfer(?:-python)?|xformers|triton|vllm(?:[_-]ascend)?|sglang|"
    r"transformers|deep ?speed|accelerate|bitsandbytes|"
    r"exllama(?:v2)?|auto[_-]gptq|autoawq|mmcv(?:-full|-lite)?|mmdet|apex|numpy|(?:pytorch[_-])?lightning|onnxruntime"
    r"(?:-gpu)?|cupy(?:-cuda\d{1,4}x?)?|"
    r"spconv(?:-cu\d{1,4})?|torch[_-]scatter|torch[_-]sparse|torch[_-]xla|libtpu|mamba[_-]ssm|causal[_-]conv1d|"
    r"llama[_-]cpp[_-]python|"
    r"detectron2|peft|diffusers|mindspore|keras|jax[_-]cuda\d{1,4}[_-](?:plugin|pjrt)|nvidia-[a-z]{1,40}-cu\d{1,4}"
    r"|torch[_-](?:mlu|musa|gcu)|vllm[_-](?:metax|mlu|musa|gaudi|kunlun)|unsloth|ctranslate2|faster[_-]whisper|whisperx|gsplat|sgl[_-]kernel|paddlepaddle(?:[_-](?:gpu|xpu|dcu|npu))?|numba(?:-cuda)?|torchcodec|"
    r"torchtext|dgl|cudf|cuml|(?:tensorflow|jax)-metal|tf(?=[ ]v?[12]\.\d)"
)
_SIGNS: Final = (  # of the names, in lower case
    "torch|jax|flax|tensor|flash|xformers|triton|vllm|sglang|transformers|deep|accelerate|bitsandbytes|exllama|gptq"
    "|autoawq|mmcv|mmdet|apex|numpy|lightning|onnxruntime|cupy|spconv|libtpu|mamba|causal|llama|detectron2|peft"
    "|diffusers|mindspore|keras|-cu|unsloth|ctranslate2|whisper|gsplat|sgl|paddlepaddle|numba|dgl|cudf|cuml|tf"
)
_IN_COLUMNS: Final = pattern(r"[ \t]{2,}$")
_TYPED: Final = pattern(
    rf"(?:^|(?<=[,;|(，、；+])|(?<=\d)(?=[ ]))[ \t]{{0,40}}(?:[-*•+][ \t]+|#{{1,5}}[ \t]+|\d[.)][ \t]+"
    rf"|(?:INFO|WARNING|DEBUG)[: ]+|"
    rf"(?:(?:I|we)(?:'m|'re| am| are)? (?:have|use|using|on|running)|using|running|my|installed|current(?:ly using)?"
    rf"|(?:pip|conda|uv) (?:list|freeze)"
    rf"|(?:(?:my|our|the) )?(?:environment|env|setup|config(?:uration)?|software|specs?)(?: info)?(?: is| are)?"
    rf"|(?:我的|系统|运行|软件)?(?:环境|配置|版本)(?:是|为|信息)?"
    rf"|versions?|packages?)[: ]+)?[`\"']?(?:🤗 ?)?"
    rf"(?P<name>{_NAMES})(?:\[[\w,-]{{1,20}}\])?[`\"']?"
    rf"(?P<between>(?:[ ](?:library )?version)?(?:[ ]?\([^()\n]{{0,20}}\))?[ ]?(?:is |was |[:=]{{1,2}}|"
    rf"@|-(?=[ ]))?[ \t]*[\"'`(]?v?)(?P<version>{VERSION}|\d{{1,9}}(?=[ ]*(?:$|,)))(?=(?P<after>[^\n,;|]{{0,160}}))",
    re.IGNORECASE | re.MULTILINE,
    signs=_SIGNS,
)
# What a sentence says is in use, anywhere in it. It counts if nothing else gives the version.
_SPOKEN: Final = pattern(
    rf"(?:\b(?:(?:I|we)(?:'m|'re| am| are)? (?:now |currently )?(?:have|use|using|on|running|run|installed|got|built"
    rf"|compiled)|using|running|with|on|under|mit|avec|con|com|(?:updat|upgrad|switch|mov)(?:ed|ing) to|installed is)"
    rf"[ ](?:the |my )?(?P<name>{_NAMES})[ ]v?(?P<version>{VERSION}))(?=[\s,.;:)]|$)",
    re.IGNORECASE,
    signs=_SIGNS,
)
_INSTALLED: Final = pattern(
    rf"(?:^|[\s,(])(?P<name>{_NAMES})[ ]v?(?P<version>{VERSION})[ ]is installed(?=[\s,.;:)]|$)",
    re.IGNORECASE,
    signs=" is installed",
)
_LABELLED: Final = pattern(  # a version with its build's label is an installed one
    r"(?<![A-Za-z0-9_/=.-])(?P<name>torch)[ ](?P<version>\d{1,2}\.\d{1,2}\.\d{1,2}\+(?:cpu|cu\d{2,3}))(?![\w.])",
    re.IGNORECASE,
    signs="torch ",
)
_OF_ANOTHER: Final = pattern(
    r"\b(?:works?|fine|ok|saved|exported|trained|created|written|converted|succeeds?|passes|benchmarks?|please|must"
    r"|no (?:problem|issue|error)s?)\b",
    re.IGNORECASE,
)
_WORKS_NOT: Final = pattern(
    r"\b(?:stopped|not|isn't|no longer) work(?:s|ing)?\b|\b(?:doesn't|does not|don't|won't) work\b", re.IGNORECASE
)
# A form's question as a heading, its answer on a separate line: "### TensorFlow version", "", "TF 2.18".
_HEADED: Final = pattern(
    rf"^(?:#{{2,5}}[ ]|[-*][ ])?(?:\*\*)?(?P<what>(?:{_NAMES}|python)[ ]version)(?:[ ]\([^()\n]{{0,40}}\))?[ ]?:?"
    r"(?:\*\*)?:?[ \t]{0,9}\n(?:[ \t]{0,9}\n){0,2}[ ]{0,3}"
    r"(?:tf|torch|pytorch|tensorflow|python|jax|v)?[ ]?(?P<value>\d[^\n]{0,120})$",
    re.MULTILINE,
    signs=" version",
)
# "torch-npu和torch版本都是2.4.0", "用的MindSpore版本为2.2.14", "vllm的版本: 0.9.1"
_CHINESE: Final = pattern(
    rf"(?<![A-Za-z0-9_./-])(?:(?P<first>{_NAMES})[ ]?(?:[和与及、,/][ ]?))?(?P<name>{_NAMES})[ ]?的?[ ]?版本号?[ ]?"
    rf"(?:都|均|也)?(?:是|为|=|:)?[ ]{{0,3}}v?(?P<version>{VERSION})",
    re.IGNORECASE,
    signs="版本",
)
_CHINESE_CAUTION: Final = pattern(
    r"需要|要求|必须|应该|应为|建议|推荐|支持|兼容|匹配|对应|不低于|以上|至少|最低|最新|换成|换为|改成|改为|升级到|降级到|降到|"
    r"试过|之前|以前|原来|可以用|能用|正常|没问题|[?]"
)
_BANNER: Final = pattern(
    rf"^[^\n]{{0,60}}?\bYOLO[^\n]{{0,90}}?\btorch[ -](?P<version>{VERSION})(?P<after>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
    signs="yolo",
)
_WHEEL: Final = pattern(
    rf"(?<![\w/%=-])(?P<name>torch|jaxlib|torchvision|torchaudio|tensorflow(?:_gpu)?|flash_attn|xformers|"
    rf"torch_npu)-(?P<version>{VERSION})-cp(?P<python>3\d{{1,2}})-[\w.]+-(?P<platform>[\w.]+)\.whl",
    signs="-cp3",
)
_NOT_INSTALLED: Final = pattern(
    r"ERROR|not a supported wheel|https?://|ownloading|Using cached|Collecting|pip3? install|wget|curl", re.IGNORECASE
)
_HAVE: Final = pattern(
    rf"\b(?P<name>PyTorch|Python)[ ]+\S+[^\n]{{0,40}}?\(you have (?P<version>{VERSION})\)", signs="(you have "
)
# pip's complaint tells what is installed: "torchvision 0.15.2 requires torch==2.0.1, but you have torch 2.1.0 which …"
_CONFLICT: Final = pattern(
    rf"^[ \t]*(?:ERROR: )?(?P<name>[A-Za-z0-9][\w.-]*) (?P<version>{VERSION}) (?:requires|"
    rf"has requirement) [^\n]{{1,120}}?,?"
    rf" but you(?:'ll)? have (?P<other>[A-Za-z0-9][\w.-]*) (?P<have>{VERSION}) which is incompatible",
    re.MULTILINE,
    signs="which is incompatible",
)
# What git describe adds, and the version after it: TensorFlow's "v2.10.0-rc3-6-g359c3cdfc5f 2.10.0".
_DESCRIBED: Final = pattern(rf"(?:-\d+-g[0-9a-f]+|-[a-z]\w*-\d+-g[0-9a-f]+)[ ]+(?P<version>{VERSION})")
_IN_BRACKETS: Final = pattern(r"[ ]*\(\+?(?P<build>cu\d{2,3}|rocm\d[\d.]*|cpu)\)", re.IGNORECASE)
_VARIANT_ONLY: Final = pattern(
    r"\b(?:torch|pytorch)\b[^.\n:]{0,60}?[\s(]\+(?P<variant>cu\d{2,3}|rocm\d[\d.]*\d|cpu)\b",
    re.IGNORECASE,
    signs="+cu|+rocm|+cpu",
)
# A version with the label of a build of torch, and no name before it: as torch.__version__ or a program prints it.
_BARE: Final = pattern(
    r"(?:^(?:[-*•][ \t])?|[;,(>][ \t]?|[:=][ \t]|(?<![\w\])])['\"“`])"
    r"(?P<version>[12]\.\d{1,2}\.\d(?:\.dev\d{8})?\+(?:cu\d{2,3}|rocm\d[\d.]*|cpu))(?=['\"”`);,]|[ \t]|$)",
    re.MULTILINE,
    signs="+cu|+rocm|+cpu",
)
_BACKEND: Final = pattern(
    r"\bTorch backend: (?P<vendor>nVidia|AMD|Intel)?[^\n]{0,200}?\b(?P<kind>CUDA|ROCm|HIP) "
    r"(?P<version>\d{1,4}\.\d[\w.]*)"
    r"(?: cuDNN (?P<cudnn>\d+))?",
    re.IGNORECASE,
    signs="torch backend: ",
)
_PYTHON: Final = pattern(
    r"(?:^|(?<=[,;(]))[ \t]{0,40}(?:(?:[-•]|\*{1,2})[ \t]+)?(?:I'm |I am )?(?:[Rr]unning |[Uu]sing )?[Pp]ython"
    r"(?:[ ][vV]ersion)?(?:-(?=\d))?(?:[ \t]{0,40}[:=]|[ ])?[ ]*[\"']?v?"
    r"(?P<version>[23]\.\d{1,2}(?:\.\d+)?(?:rc\d|[ab]\d)?\+?)"
    r"(?![\w.]*[-/\\]\w)(?P<after>[^\n,;]{0,80})",
    re.MULTILINE,
    signs="python",
)
_SPOKEN_PYTHON: Final = pattern(
    r"(?:\b(?:on|with|using|under|in|running|run|use|have)"
    r"|(?<=[.)])(?=[ ]Python[ ]3\.\d[\d.]{0,6}(?:$|(?<=\.)[ ])))[ ][Pp]ython[ ]?(?:version )?"  # a whole sentence
    r"(?P<version>3\.\d{1,2}(?:\.\d{1,2})?)"
    r"(?=[\s,.;:)]|$)(?!\.\d)",
    re.MULTILINE,
    signs=" python",
)
_BANNER_PYTHON: Final = pattern(r"\bPython-(?P<version>3\.\d{1,2}\.\d+) torch-\d", signs="python-3")
_CAUTION: Final = pattern(
    r"\b(?:requires?|required|need(?:s|ed)?|compiled (?:with|against)|built (?:for|with|against)|(?<!\(pip )install"
    r"(?:ing)?|upgrade|downgrade|compatible|"
    r"incompatible|mismatch|not support|supports?|supported|or newer|or later|or higher|or above|and above|"
    r"at least|minimum|should|try|"
    r"fixed|expected|tested|instead|does not have|newer than|older than|released?|latest|if you|works with|"
    r"worked|working|latest)\b|>=|<=|~=|!=|\?\s*$",
    re.IGNORECASE,
)
_PROSE: Final = pattern(
    r"[ ]+(?!(?:on|in|with|and|under|inside|from|via|installed|plus|unter|mit|auf|und|sur|sous|avec|et|en|con|sobre|com"
    r"|compiled|built)[ ])[a-z]{2,}[ ]+[a-z]{2,}"
)
_COLLECT_ENV: Final = pattern(r"CUDA used to build PyTorch|Is debug build", signs="cuda used to build|is debug build")
_CUDA_RELEASE: Final = pattern(r"(?:9|1[0-4])\.\d", exact_case=True)
_BELOW_CUDA: Final = pattern(  # whose own releases are all below CUDA's: "torch 12.8" is a build for CUDA 12.8
    r"torch(?:vision|audio)?|tensorflow|jax(?:lib)?|vllm|sglang|xformers|triton|onnxruntime(?:-gpu)?|bitsandbytes"
    r"|flash-attn|ctranslate2|llama-cpp-python",
    exact_case=True,
)
_CANONICAL: Final = {
    "pytorch": "torch",
    "py-torch": "torch",
    "flash-attention": "flash-attn",
    "flash-attention-2": "flash-attn",
    "flashattention": "flash-attn",
    "tensor-flow": "tensorflow",
    "torch-vision": "torchvision",
    "torch-audio": "torchaudio",
    "deep-speed": "deepspeed",
    "tf": "tensorflow",
}


def _read(text: str) -> Iterator[Reading]:
    text = with_printed_dicts(text)
    text = _HEADED.sub(r"\g<what>: \g<value>", text) if "ersion" in text else text
    if running := {_name(found["name"]): found["version"] for found in _HAVE.finditer(text)}:
        python = running.pop("python", None)
        has = tuple(package_of(name, version, channel=None) for name, version in running.items())
        yield Reading(
            source=RUNNING, environment=Environment(source=RUNNING, python_version=python, packages=has or None)
        )
    found = [*_wheels(text), *_had(text), *_typed(text), *_banners(text)]
    found.sort(key=lambda item: item[0])
    packages: dict[str, Package] = {}
    for package in (one for _, one in found if not _is_cudas(one)):
        known = packages.setdefault(package.name, package)
        if known.variant is None and _says_more(package.version or "", known.version or ""):
            packages[package.name] = package
    spoken = (*_spoken(text), *_in_chinese(text))
    for package in (one for one in spoken if not _is_cudas(one)):
        packages.setdefault(package.name, package)
    frameworks = {f.name: f for f in frameworks_of(packages.values())}
    frameworks = _with_build(text, frameworks)
    build = next((p.version for p in (*(one for _, one in found), *spoken) if p.name == "torch" and _is_cudas(p)), None)
    if build is not None and "torch" not in frameworks:
        frameworks["torch"] = Framework(name="torch", built_for="cuda", cuda_version=build)
    python = _python(text)
    if not (packages or frameworks or python):
        return
    environment = Environment(
        python_version=python, packages=tuple(packages.values()) or None, frameworks=tuple(frameworks.values())
    )
    yield Reading(source=READER.name, environment=environment)


def _is_cudas(package: Package) -> bool:
    """Return whether the version given for a package is that of the CUDA which it is built for."""
    return bool(_CUDA_RELEASE.fullmatch(package.version or "") and _BELOW_CUDA.fullmatch(package.name))


def _says_more(version: str, known: str) -> bool:
    """Return whether a version is the known one, or one of its patch releases: "1.8.0" for "1.8"."""
    return version == known or version.startswith(known + ".")


def _line_of(text: str, place: int) -> str:
    end = text.find("\n", place)
    return text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)]


def _name(said: str) -> str:
    normal = normalised(said.strip().replace(" ", "-"))
    return _CANONICAL.get(normal, normal)


def _typed(text: str) -> Iterator[tuple[int, Package]]:
    collected = _COLLECT_ENV.search(text) is not None
    for match in _TYPED.finditer(text):
        line = _line_of(text, match.start("name"))
        if (
            len(line) > 300
            or _CAUTION.search(line)
            or "you have" in line
            or match["after"].startswith(("/", "\\", "-cp"))
        ):
            continue
        if not match["between"].strip(" v(") and _PROSE.match(match["after"]):
            continue  # "torch 2.0 brings compile", but not "torch 2.0 on windows"
        if match["between"].rstrip("v").endswith("(") and match["after"].strip(" )"):
            continue  # "compile PyTorch (11.7). Please …": a CUDA version
        is_set = ":" in match["between"] or "=" in match["between"]
        if _IN_COLUMNS.search(match["between"]) and not is_set:
            continue  # a row of a list, which has its own reader
        if "==" in match["between"] and not match["after"].strip():
            continue
        if collected and "ersion" in match["between"]:
            continue
        if "." not in match["version"] and not is_set:
            continue
        version = match["version"]
        if described := _DESCRIBED.match(match["after"]):
            version = described["version"]
        elif "+" not in version and (build := _IN_BRACKETS.match(match["after"])):
            version = f"{version}+{build['build'].lower()}"
        yield match.start("name"), package_of(_name(match["name"]), version, channel=None)


def _spoken(text: str) -> Iterator[Package]:
    """Yield what sentences say is in use, unless the clause is about another machine or about what is wanted."""
    for form in (_SPOKEN, _INSTALLED, _LABELLED):
        for match in form.finditer(text):
            if _is_of_here(match, text):
                yield package_of(_name(match["name"]), match["version"], channel=None)


def _in_chinese(text: str) -> Iterator[Package]:
    """Yield what Chinese sentences say is in use."""
    for match in _CHINESE.finditer(text) if "版本" in text else ():
        start = max(text.rfind(sign, 0, match.start()) for sign in "\n,;。!")
        end = min((place for sign in "\n,;。!" if (place := text.find(sign, match.end())) >= 0), default=len(text))
        if end - start < 160 and not _CHINESE_CAUTION.search(text[start + 1 : end]):
            for name in filter(None, (match["first"], match["name"])):
                yield package_of(_name(name), match["version"], channel=None)


def _is_of_here(match: re.Match[str], text: str) -> bool:
    """Return whether the clause before a version is about neither another machine nor what is wanted."""
    line = text.rfind("\n", 0, match.start()) + 1
    clause = re.split(r"[.;,\"”'`()](?=\s|$)", text[line : match.end()].rstrip(".,;:"))[-1]
    clause = _WORKS_NOT.sub("", clause)
    return len(clause) < 160 and not _CAUTION.search(clause) and not _OF_ANOTHER.search(clause)


def _wheels(text: str) -> Iterator[tuple[int, Package]]:
    for match in _WHEEL.finditer(text):
        if not _NOT_INSTALLED.search(_line_of(text, match.start())):
            yield match.start(), package_of(match["name"], match["version"], channel=None)


def _had(text: str) -> Iterator[tuple[int, Package]]:
    for match in _HAVE.finditer(text):
        if match["name"].lower() == "pytorch":
            yield -1, package_of("torch", match["version"], channel=None)
    for match in _CONFLICT.finditer(text):
        yield match.start(), package_of(match["name"], match["version"], channel=None)
        yield match.start(), package_of(match["other"], match["have"], channel=None)


def _banners(text: str) -> Iterator[tuple[int, Package]]:
    for match in _BANNER.finditer(text):
        yield match.start(), package_of("torch", match["version"], channel=None)


def _with_build(text: str, frameworks: dict[str, Framework]) -> dict[str, Framework]:
    """Add what one-line prints say about torch's build."""
    torch = frameworks.get("torch")
    bare = _BARE.search(text) if torch is None else None
    if bare and not _CAUTION.search(_line_of(text, bare.start("version"))):
        torch = frameworks_of([package_of("torch", bare["version"], channel=None)])[0]
    if found := _BACKEND.search(text):
        cuda = found["kind"].upper() == "CUDA"
        torch = replace(
            torch or Framework(name="torch"),
            built_for="cuda" if cuda else "rocm",
            cuda_version=found["version"] if cuda else None,
            rocm_version=None if cuda else found["version"],
            cudnn_version=dotted_cudnn(found["cudnn"]) if found["cudnn"] else None,
        )
    elif (
        (torch is None or torch.variant is None)
        and (found := _VARIANT_ONLY.search(text))
        and not _CAUTION.search(_line_of(text, found.start()))
    ):
        taken = variant_of("0+" + found["variant"].lower())
        torch = replace(
            torch or Framework(name="torch"),
            variant=taken.variant,
            built_for=taken.built_for,
            cuda_version=taken.cuda_version,
            rocm_version=taken.rocm_version,
        )
    if (found := _BANNER.search(text)) and "CUDA:" in found["after"].upper() and torch:
        torch = replace(torch, available=True)
    return {**frameworks, "torch": torch} if torch else frameworks


def _python(text: str) -> str | None:
    for match in _HAVE.finditer(text):
        if match["name"].lower() == "python":
            return match["version"]
    for match in _PYTHON.finditer(text):
        if not _CAUTION.search(_line_of(text, match.start("version"))):
            return match["version"].rstrip("+")
    if found := _BANNER_PYTHON.search(text):
        return found["version"]
    if (
        spoken := next((match for match in _SPOKEN_PYTHON.finditer(text) if _is_of_here(match, text)), None)
    ) is not None:
        return spoken["version"]
    for match in _WHEEL.finditer(text):
        if not _NOT_INSTALLED.search(_line_of(text, match.start())):
            return f"{match['python'][0]}.{match['python'][1:]}"
    return None


READER = Reader(name="typed versions", signs=(), read=_read)
