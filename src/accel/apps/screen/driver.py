"""Textual's driver for terminals, that looks for keys as they come.

Textual's own looks ten times a second whether there is a key, which is a sixth of what the whole screen costs. The rest
of the driver is as it is.
"""

import codecs
import os
import time
from typing import Final

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from accel.machine.descriptors import readable

_SHORT_SECONDS: Final = 0.1  # after a key: more of it may follow, as of Escape
_LONG_SECONDS: Final = 0.5  # else; so long the end may take that no key has asked for
_LIVELY_SECONDS: Final = 1.0
_PIECE: Final = 4096


class QuietDriver(LinuxDriver):
    """See above."""

    def run_input_thread(self) -> None:
        """Read what is typed until the driver is told to end."""
        parser = XTermParser(self._debug)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        lively_until = 0.0
        while not self.exit_event.is_set():
            lively = time.monotonic() < lively_until
            if readable([self.fileno], _SHORT_SECONDS if lively else _LONG_SECONDS):
                data = os.read(self.fileno, _PIECE)
                if not data:
                    return  # the terminal is gone
                lively_until = time.monotonic() + _LIVELY_SECONDS
                for event in parser.feed(decode(data)):
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)
