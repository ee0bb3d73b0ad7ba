"""Patterns of NVIDIA's product names. Facts about the products are in the specs."""

from typing import Final

_GENERATION: Final = r"(?: SFF)?(?: Ada(?: Generation)?)?(?: Blackwell(?: \w+ Edition)?)?"
_ENDING: Final = rf"(?:[ -]?(?:Ti|SUPER))*(?: D\b)?{_GENERATION}(?: Laptop GPU| Mobile| Max-Q)?"
_CENTRE: Final = (
    r"(?:GB300|GB200|GH200|GB10|B300|B200|B100|H800|H200|H100|H20|A800|A100|A40|A30|A10G?|A16|L40S?|L20|V100S?|P100|K80)"
    r"(?:[ -](?:SXM\d?|PCIE|NVL|DGXS|HBM\w+|\d{2,3} ?GB\w*))*"
)
_SERIES: Final = r"(?:9[5678]0|10[35678]0|16[356]0|20[678]0|30[56789]0|40[56789]0|50[56789]0)"

BARE: Final = rf"{_SERIES}(?i:(?: ?(?:Ti|SUPER))*)"
"""A GeForce by its number alone: "3090", "2080Ti". Only to be used where the words around say that it is a GPU."""

BRANDED: Final = (
    r"(?i:(?:NVIDIA )?(?:"
    rf"(?:GeForce )?(?:RTX|GTX|GTS|GT) ?\d{{3,4}}{_ENDING}"
    rf"|(?:Quadro )?RTX (?:PRO )?[A-Z]?\d{{4}}{_GENERATION}"
    r"|Quadro [A-Z]{0,3}\d{3,4}M?"
    rf"|Tesla (?:{_CENTRE}|[A-Z]\d{{1,4}}[a-z]?)"
    r"|(?:GTX )?TITAN(?: (?:Xp?|V|RTX|Black|Z)\b)?"
    rf"|{_CENTRE})"
    r"|NVIDIA (?:[ALT]\d{1,4}[A-Z]?\b|Jetson (?:AGX )?(?:Orin|Xavier|Thor|TX2|Nano)"
    r"|CMP \w+|Graphics Device|Thor\b|Orin\b))"
)
"""A name with its brand, or of a board that no other word looks like: "GeForce RTX 3090", "A100-SXM4-80GB"."""

NAME: Final = rf"(?P<name>{BRANDED}|{BARE})(?![\w.]|-\d)"
