"""SANY's errors and warnings, which it prints unframed between messages 2220 and 2219."""

from __future__ import annotations

import re

from tla2py.model.outcome import Diagnostic
from tla2py.tlc.output.states import find_location
from tla2py.trace.trace import Location

_PARSING = re.compile(r"Parsing file (?:.*[/\\])?(\w+)\.tla")
_PARSE_ERROR = "***Parse Error***"
# SANY prints the brace.
_LEXICAL_ERROR = re.compile(r"Lexical (?:\{error: |error at line \d+, column \d+)")
_POSITION = re.compile(r"(?:at|around) line (\d+)(?:, column (\d+))?")
_SECTION = re.compile(r"\*\*\* (Errors|Warnings|Abort messages): \d+")
_PLACE = re.compile(r"line \d+, col \d+ to line \d+, col \d+ of module \w+|Unknown location|In module \w+")
# SANY adds this after a parse error; it says less.
_FOLLOWS_PARSE_ERROR = re.compile(r"Could not parse module \w+ from file")


class SanyReader:
    """A collector of SANY's errors and warnings, fed line by line."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._module = ""
        self._severity = ""
        self._place = ""
        self._text: list[str] | None = None
        self._unparsed = False

    def read(self, line: str) -> None:
        """Read one line."""
        text = line.strip()
        if (parsing := _PARSING.match(text)) is not None:
            self._module = parsing[1]
        elif text == _PARSE_ERROR or _LEXICAL_ERROR.match(text) is not None:
            self.end()
            self._unparsed = True
            self._severity, self._place = "error", ""
            self._text = [] if text == _PARSE_ERROR else [text]
        elif (section := _SECTION.match(text)) is not None:
            self.end()
            self._severity = "warning" if section[1] == "Warnings" else "error"
        elif self._severity and _PLACE.fullmatch(text) is not None:
            self.end()
            self._place, self._text = text, []
        elif self._text is not None:
            if text:
                self._text.append(text)
            elif self._text:
                self.end()

    def end(self) -> None:
        """Close the open diagnostic, if any."""
        if not self._text:
            return
        text, self._text = "\n".join(self._text), None
        if self._unparsed and _FOLLOWS_PARSE_ERROR.match(text) is not None:
            return
        diagnostic = Diagnostic(
            code=0,
            severity=self._severity,
            text=text,
            location=find_location(self._place) or self._position(text),
        )
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def _position(self, text: str) -> Location | None:
        position = None if self._place else _POSITION.search(text)
        if position is None:
            return None
        line, column = int(position[1][:9]), int((position[2] or "1")[:9])
        return Location(
            module=self._module, begin_line=line, begin_column=column, end_line=line, end_column=column
        )
