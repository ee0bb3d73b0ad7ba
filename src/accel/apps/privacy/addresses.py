"""Identifiers of a machine, board or network: unique ids, IP, MAC and InfiniBand addresses, e-mail. Pure.

A version of four numbers is not an address: "jaxlib 0.9.0.1", "470.223.02.1".
"""

import re
from collections.abc import Callable
from typing import Final

from accel.apps.privacy.near import replaced

Named = Callable[[str, str], str]  # from a value and its kind to the replacement

_UUID: Final = re.compile(
    r"(?P<label>GPU|MIG|NPU|TPU|DPU|HPU|MLU)(?<!\w.{3})-[0-9a-fA-F][0-9a-fA-F-]{6,60}(?:/\d{1,3}/\d{1,3})?"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])(?<![0-9A-Za-z].{36})"
    r"|[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}(?<=[-/]pod.{36})"
)
_CONTAINER: Final = re.compile(  # not an image's digest, nor a content-addressed file name
    r"[0-9a-f]{64}(?![0-9A-Za-z])(?<![0-9A-Za-z][0-9a-f]{64})"
    r"(?<!sha256[:/_-][0-9a-f]{64})(?<!(?:blobs/|jects/)[0-9a-f]{64})"
)
_SHORT_CONTAINER: Final = re.compile(
    r"(?:(?<=docker/)|(?<=containers/)|(?<=docker-)|(?<=containerd://)|(?<=docker://)"
    r"|(?<=container id )|(?<=container )|(?<=Container ))"
    r"(?=[0-9a-f]{0,11}\d)[0-9a-f]{12}(?![0-9A-Za-z])"
)
_ZEROS: Final = re.compile(r"(?:[A-Z]{3}-)?[0-]{8,60}")  # of a device that has none
_SID: Final = re.compile(r"(?<=\bS-1-5-21-)\d{4,10}(?:-\d{4,10}){2}")
_DUID: Final = re.compile(r"(?<![0-9A-Za-z-])[0-9A-F]{2}(?:-[0-9A-F]{2}){9,19}(?![0-9A-Za-z-])")
_IPV4: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?=[0-9a-f]{0,4}:[0-9a-f]{0,4}:)(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
    r"|(?:[0-9a-f]{1,4}:){1,7}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?"
    r"|::(?:ffff:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})|(?:[0-9a-f]{1,4}:){4,6}[0-9a-f]{1,4})"
    r"(?:%[\w.-]{1,20})?(?![\w:])",
    re.IGNORECASE,
)
_MAC: Final = re.compile(
    r"(?<![0-9A-Za-z:.-])(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?:(?::[0-9a-fA-F]{2}){2}|(?::[0-9a-fA-F]{2}){14})?"
    r"|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})(?![0-9A-Za-z:-])"
)
_GUID: Final = re.compile(
    r"(?P<key>\b\w{0,20}(?:guid|gid|lid mask)\w{0,10}\b[\s:=\"']{1,8})"
    r"(?P<value>(?:0x)?[0-9a-f]{4}(?::[0-9a-f]{4}){3,7}|(?:0x)?[0-9a-f]{16})\b",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])(?!git@|hg@|svn@)[\w.+-]{1,64}(?:@| ?[\[(](?:at|AT)[\])] ?)[^\W_][\w-]{0,62}"
    r"(?:(?:\.| ?[\[(](?:dot|DOT)[\])] ?)[^\W_][\w-]{0,62}){1,6}\b"
)
_CLOUD: Final = re.compile(
    r"\b(?:i|vol|eni|subnet|vpc|sg|ami|snap|rtb|igw|eipalloc)-[0-9a-f]{8,17}\b"
    r"|\barn:aws[\w-]{0,10}:[\w:/.*-]{3,200}|(?<=/)\d{12}(?=\.dkr\.ecr)|\b\d{12}(?=\.dkr\.ecr)"
    r"|(?<=projects/)[a-z][a-z0-9-]{4,40}"
    r"(?=/(?:zones|locations|regions|global|secrets|topics|serviceAccounts|instances|queuedResources)\b|[\s\"',]|$)"
    r"|(?<=subscriptions/)[0-9a-fA-F-]{36}"
)
_CLOUD_WORDS: Final = (
    *("i-", "vol-", "eni-", "subnet-", "vpc-", "sg-", "ami-", "snap-", "rtb-", "igw-", "eipalloc-"),
    *("arn:aws", ".dkr.ecr", "projects/", "subscriptions/"),
)
_NO_ADDRESS: Final = frozenset(
    {"127.0.0.1", "0.0.0.0", "255.255.255.255", "255.255.255.0", "::1", "::", "00:00:00:00:00:00"}
)
_OF_VERSIONS: Final = (
    "version ver release rev build driver firmware toolkit runtime cann cuda cudnn nccl rocm hip library api bios "
    "vbios require requires need needs than upgrade install installed installing was found using collecting python "
    "kernel module package"
).replace(" ", "|")
_OF_ADDRESSES: Final = (
    "ip ips addr address addresses host hosts inet from to at connect connected connecting peer listen listening on "
    "server node nodes ping ssh scp curl nc bind via gateway dns nameserver master worker remote local route endpoint "
    "rank dev"
).replace(" ", "|")
_VERSION_BEFORE: Final = re.compile(
    rf"(?:\b(?:{_OF_VERSIONS})s?\b[\s:=(\"'v]{{0,6}}|[=<>!~]=?\s{{0,2}}|[\w\])](?<!\d)[-_@]|\bv"
    r"|[A-Za-z][\w.+]{1,40}(?:\[[\w,]{0,40}\])?\s{1,20}\(?)$",
    re.IGNORECASE,
)
_VERSION_WORD_BEFORE: Final = re.compile(
    rf"(?:\b(?:{_OF_VERSIONS})s?\b[\s:=(\"'v]{{0,6}}|[=<>!~]=?\s{{0,2}}|[\w\])](?<!\d)[-_@]|\bv)$", re.IGNORECASE
)
_LARGE: Final = 30  # a driver's version has one number this large, other versions have none
_PACKAGE_BEFORE: Final = re.compile(  # packages with versions that look like private addresses
    r"(?:\b(?:tensorrt|trt|nvinfer|lib\w{1,40}|nvidia[\w-]{1,40}|cu\w{1,20}|version)[\w.-]{0,20}[\s:=]{1,20}"
    r"|[A-Za-z][\w.-]{1,40} ?\()$",
    re.IGNORECASE,
)
_ADDRESS_BEFORE: Final = re.compile(
    r"\b(?:PING|ping|Pinging|traceroute to|bytes from|Trying|Connecting to)"
    r" (?:[\w.-]{1,60} ?)?[(\[]?$|"
    rf"(?:\b(?:{_OF_ADDRESSES})\b[\w\s:=(\"'\[<]{{0,8}}|@|//"
    r"|\b\w{0,30}(?:addr|address|host|ip|master|proxy|server|peer)\w{0,12}\s{0,2}[=:]\s{0,2}[\"']?)$",
    re.IGNORECASE,
)
_PRIVATE: Final = re.compile(
    r"10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\."
)
_BRIDGE: Final = "172.17.0."  # Docker's own network, the same everywhere
_JOINED: Final = frozenset(".0123456789")  # before a number with more digits, or with more numbers
_LOOK_BACK: Final = 60  # characters


def without_addresses(text: str, named: Named) -> str:
    """Return the text with each identifier replaced by the result of `named`."""
    text = _UUID.sub(
        lambda m: (
            m[0]
            if _ZEROS.fullmatch(m[0])
            else f"{m['label']}-{named(m[0], 'uuid').removeprefix(m['label'] + '-')}"
            if m["label"]
            else named(m[0], "uuid")
        ),
        text,
    )
    text = _CONTAINER.sub(lambda m: named(m[0], "container-id"), text)
    text = replaced(_SHORT_CONTAINER, ("container", "docker"), lambda m: named(m[0], "container-id"), text)
    if "S-1-5-21-" in text:
        text = _SID.sub(lambda m: named(m[0], "sid"), text)
    text = _DUID.sub(lambda m: named(m[0], "mac"), text)
    text = replaced(_EMAIL, ("@", "[at]", "(at)"), lambda m: named(m[0], "email"), text)
    text = replaced(_CLOUD, _CLOUD_WORDS, lambda m: named(m[0], "cloud"), text)
    text = replaced(_GUID, ("guid", "gid", "lid mask"), lambda m: f"{m['key']}{named(m['value'], 'guid')}", text)
    text = _MAC.sub(lambda m: m[0] if m[0] in _NO_ADDRESS else named(m[0], "mac"), text)
    if ":" in text:
        text = _IPV6.sub(lambda m: named(m[0], "ip") if _is_ipv6(m[0]) else m[0], text)
    return _IPV4.sub(lambda m: _stand_in(m[0], named) if _is_ipv4(m) else m[0], text)


def _stand_in(address: str, named: Named) -> str:
    """Return the replacement for an IPv4 address; for Docker's bridge, its network, so that it stays recognisable."""
    return f"{_BRIDGE}0" if address.startswith(_BRIDGE) else named(address, "ip")


def _is_ipv6(text: str) -> bool:
    """Return whether it is an IPv6 address: with "::" or all eight groups, and neither a time nor a PCI address."""
    if text in _NO_ADDRESS:
        return False
    return any(c in "abcdefABCDEF" for c in text) or text.count(":") == 7 or ("::" in text and len(text) > 4)


def _is_ipv4(match: "re.Match[str]") -> bool:
    found, text = match[0], match.string
    if text[max(0, match.start() - 1) : match.start()] in _JOINED or any(int(part) > 255 for part in found.split(".")):
        return False
    if found in _NO_ADDRESS or found.startswith("0."):
        return False
    if any(len(part) > 1 and part[0] == "0" for part in found.split(".")):
        return False
    after = text[match.end() : match.end() + 8]
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    if re.match(r"(?::\d{2,5}\b|/\d{1,2}\b|%\w|<\d{1,5}>)", after) or _ADDRESS_BEFORE.search(before):
        return not before.endswith(("==", ">=", "<=", "~=", "!="))
    if re.match(r"(?:[A-Za-z_+]|\.(?:dev|post|whl|tar|zip|run|so|dll|dist-info|egg-info)|-(?:py|cp|linux|\d))", after):
        return False
    if before.endswith(("==", ">=", "<=", "~=", "!=", "=", "-", "_", "+")) and not _PRIVATE.match(found):
        return False
    if _PRIVATE.match(found):
        return not _PACKAGE_BEFORE.search(before)
    return (_is_spread(found) and not _VERSION_WORD_BEFORE.search(before)) or not _VERSION_BEFORE.search(before)


def _is_spread(address: str) -> bool:
    """Return whether its numbers are larger than those of versions."""
    parts = [int(part) for part in address.split(".")]
    return parts[0] >= _LARGE and sum(part >= _LARGE for part in parts) > 1
