"""Decode a pasted report, detecting its encoding from its bytes.

UTF-8          if the bytes are valid; invalid lines are decoded with the file's other encoding
UTF-16         as PowerShell's redirection writes it, with or without a byte-order mark
GB18030, Big5, Shift-JIS, EUC-KR      as Windows consoles write them: the one that gives the most common characters
cp1252         otherwise: one byte per character
"""

from collections.abc import Iterator, Sequence
from typing import Final

_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SAMPLE: Final = 65_536  # bytes used to detect the encoding
_ZEROS: Final = 20  # UTF-16 has at least one zero byte in this many: even Chinese reports contain ASCII names
_ONE_SIDED: Final = 10  # ratio of zeros in one half of the characters to the other; binary data has no such bias
_ENOUGH: Final = 0.6  # required share of common characters among the non-ASCII ones

# For each encoding: the first bytes of its common characters, and the lowest second byte.
_EAST_ASIAN: Final = (
    ("euc-kr", range(0xB0, 0xC9), 0xA1),  # first: bytes that decode entirely to Hangul would also decode as Chinese
    ("gb18030", range(0xB0, 0xD8), 0xA1),
    ("big5", range(0xA4, 0xC7), 0x40),
    ("shift_jis", (0x82, 0x83, *range(0x88, 0x98)), 0x40),
)
_HANGUL_AT_LEAST: Final = 8  # characters


def decoded(data: bytes) -> str:
    """Return the decoded text; bytes that fit no encoding are replaced."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if wide := _utf_16(data[:8192]):
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        other = _other(data)
    return "".join(_line(line, other) for line in data.splitlines(keepends=True))


def is_wide(sample: bytes) -> bool:
    """Return whether these first bytes are UTF-16, with or without a byte-order mark."""
    return sample.startswith((b"\xff\xfe", b"\xfe\xff")) or _utf_16(sample) is not None


def _utf_16(sample: bytes) -> str | None:
    """Return the byte order of a UTF-16 text, from the position of its zero bytes; None if it is not UTF-16."""
    low, high = sample[1::2].count(0), sample[::2].count(0)
    if low + high <= len(sample) // _ZEROS or min(low, high) * _ONE_SIDED > max(low, high):
        return None
    return "utf-16-le" if low > high else "utf-16-be"


def _line(line: bytes, other: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode(other, "replace")


def _other(data: bytes) -> str:
    """Return the encoding of the lines that are not UTF-8."""
    lines = b"".join(_foreign(data))
    scores = [(_share(lines, encoding, common, least), encoding) for encoding, common, least in _EAST_ASIAN]
    best, encoding = max(scores, key=lambda score: score[0])  # ties: the first one wins
    return encoding if best >= _ENOUGH else "cp1252"


def _foreign(data: bytes) -> Iterator[bytes]:
    taken = 0
    for line in data.splitlines(keepends=True):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            yield line
            taken += len(line)
            if taken > _SAMPLE:
                return


def _share(lines: bytes, encoding: str, common: Sequence[int], least: int) -> float:
    """Return the share of an encoding's common characters among the non-ASCII ones; 0 if the encoding does not fit.

    Real characters appear next to each other; a pair of cp1252 bytes that happens to decode ("°C") is isolated.
    """
    text = lines.decode(encoding, "replace")
    beyond = known = beside = 0
    before = False
    for character in text:
        if character < "\x80":
            before = False
            continue
        beyond += 1
        is_known = character != "\ufffd" and _is_known(character, encoding, common, least)
        known += is_known
        beside += is_known and before
        before = is_known
    if not beside or text.count("\ufffd") > beyond // 50:
        return 0.0
    if encoding == "euc-kr" and (known < _HANGUL_AT_LEAST or known < beyond):
        return 0.0
    return known / beyond


def _is_known(character: str, encoding: str, common: Sequence[int], least: int) -> bool:
    written = character.encode(encoding, "replace")
    if len(written) != 2:
        return False
    # Punctuation, full-width signs and kana count as common characters.
    is_mark = "\u3000" <= character <= "\u30ff" or "\uff00" <= character <= "\uff60"
    return is_mark or (written[0] in common and written[1] >= least)
