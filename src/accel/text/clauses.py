"""Where sentences and clauses end, in prose of several languages. Pure."""

from typing import Final

from accel.text.pattern import pattern

SENTENCE: Final = pattern(r"(?<=[.!?。！？;；])\s{1,4}|(?<=[。！？；])|\n", exact_case=True)
CLAUSE: Final = pattern(
    r"[,，、;；:：]\s?|\s(?:but|while|whereas|however|though|although|and then|aber|jedoch|mais|pero|mas|но|а)\s"
    r"|但是?|而|可是|却"
)
LONGEST: Final = 1200  # characters of a line that is read as prose
