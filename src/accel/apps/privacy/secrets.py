"""Secrets in a text: credentials by their form, values of keys that name a secret, key blocks, URLs with passwords."""

import re
from functools import cache
from typing import Final

from accel.apps.privacy.tables import tables

GONE: Final = "<redacted>"
_BLOCK: Final = re.compile(
    r"-----BEGIN (?P<what>[A-Z0-9 ]{0,40}(?:PRIVATE KEY|CERTIFICATE|PGP MESSAGE|KEY BLOCK|OPENSSH)[A-Z0-9 ]{0,20})-----"
    r"(?:(?!-----)[\s\S]){0,20000}(?:-----END [A-Z0-9 ]{0,60}-----)?"
)
_URL: Final = re.compile(
    r"(?P<start>\b[a-z][a-z0-9+.-]{1,20}://)(?P<who>[^\s/@:\"'<>]{0,200}:[^\s/@\"'<>]{1,300}|[^\s/@:\"'<>]{1,300})@"
)
_HEADER: Final = re.compile(
    r"(?P<key>\b(?:proxy-)?authorization\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?|\b(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?"
    r"|\bx-(?:[a-z]{1,20}-){0,3}(?:token|key|secret|signature)[\"']?\s{0,3}:\s{0,3}[\"']?)(?P<value>[^\n\"']{1,2000})",
    re.IGNORECASE,
)
_SCHEME: Final = re.compile(
    r"(?P<key>\b(?:bearer|basic|digest|token)\s{1,3})(?P<value>[A-Za-z0-9._~+/=-]{12,4000})", re.IGNORECASE
)
_NETRC: Final = re.compile(
    r"(?P<key>\blogin\s{1,4})(?P<user>\S{1,200})(?P<middle>\s{1,8}password\s{1,4})(?P<value>\S{1,400})"
)
_OPTIONS: Final = re.compile(
    r"(?P<key>\b(?:sshpass\s{1,3}-p|mysql(?:dump)?\s[^\n]{0,80}?-p|curl\s[^\n]{0,200}?(?:-u|--user)"
    r"|docker\s{1,3}login\s[^\n]{0,120}?-p|wget\s[^\n]{0,120}?--password|smbclient\s[^\n]{0,120}?-U)[ =]{0,3})"
    r"(?P<value>[^\s;|&]{3,200})"
)
_QUERY: Final = re.compile(
    r"(?P<key>[?&;](?:[\w.-]{0,40}(?:token|key|secret|sig|signature|password|pwd|credential|auth|code|session))=)"
    r"(?P<value>[^\s&;\"'<>#]{3,2000})",
    re.IGNORECASE,
)
_LONG_HEX: Final = re.compile(
    r"(?<![\w:/+.-])(?<!sha256:)(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9A-F]{40}|[0-9A-F]{64})(?![\w-])"
)
_PLAIN: Final = frozenset(
    {"true", "false", "none", "null", "yes", "no", "on", "off", "ok", "set", "unset", "empty", "missing", "required"}
    | {"optional", "invalid", "str", "string", "int", "bool", "bytes", "any", "optional[str]", "str,", "not", "auto"}
    | {"default", "is", "was", "the", "a", "an", "redacted", "hidden", "xxx", "xxxx", "disabled", "enabled", "basic"}
)


def without_secrets(text: str) -> str:
    """Return the text with each secret as "<redacted>"; what stands around it, also its key, stays."""
    if not text:
        return text
    if "-----BEGIN" in text:
        text = _BLOCK.sub(lambda m: f"-----BEGIN {m['what']}-----{GONE}", text)
    if "://" in text:
        text = _URL.sub(lambda m: f"{m['start']}{GONE}@", text)
    text = tables().tokens.sub(GONE, text)
    text = _HEADER.sub(_kept_key, text)
    text = _SCHEME.sub(_kept_key, text)
    text = _NETRC.sub(lambda m: f"{m['key']}{GONE}{m['middle']}{GONE}", text)
    text = _OPTIONS.sub(_kept_key, text)
    text = _QUERY.sub(_kept_key, text)
    text = _keyed().sub(_keyed_value, text)
    return _LONG_HEX.sub(GONE, text)


@cache
def _keyed() -> "re.Pattern[str]":
    """Return the pattern of  key = value ,  "key": "value" ,  <key>value< ,  --key value  with a secret's key."""
    key = rf"(?<![A-Za-z0-9])[\w.-]{{0,60}}?(?:{tables().secret_keys})"
    return re.compile(
        rf"(?P<option>--?)?(?P<key>{key})(?P<sign>\\?[\"']?[ \t]{{0,8}}(?:=>|:=|=(?!=)|:(?!:)|>(?!=))[ \t]{{0,8}}"
        r"|[ \t]{1,4})(?P<value>\\?\"[^\"\n]{1,400}|\\?'[^'\n]{1,400}|[^\s,\"'<>]{1,400})",
        re.IGNORECASE,
    )


def _keyed_value(match: "re.Match[str]") -> str:
    key, sign, value = match["key"], match["sign"], match["value"]
    bare = value.lstrip("\\\"'")
    bare = bare if len(bare) < len(value) else bare.rstrip(";)}]")
    end = value[value.index(bare) + len(bare) :] if bare else ""
    if not sign.strip() and not match["option"]:  # "token abc" is prose; "--token abc" is an option
        return match[0]
    if not sign.strip() and bare.startswith("-"):
        return match[0]
    name = key.lower().replace("-", "_")
    no_secrets = tables().not_secret_keys
    if name in no_secrets or any("_" in one and name.endswith(f"_{one}") for one in no_secrets):
        return match[0]
    low = bare.lower().rstrip(".,")
    if low in _PLAIN or bare.startswith(("$", "<", "*", "(", "[", "{")) or (low.isdecimal() and len(low) < 4):
        return match[0]
    return f"{match['option'] or ''}{key}{sign}{value[: value.index(bare)]}{GONE}{end}"


def _kept_key(match: "re.Match[str]") -> str:
    return f"{match['key']}{GONE}"
