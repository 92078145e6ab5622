"""The page of errors and exit codes."""

from __future__ import annotations

import re
from itertools import groupby

from scripts.reference.raised import CLASSES, raised_errors

_HEAD = """\
# Errors

Made from the code. An error is one or two lines on standard error: where (file, line and column, if there is such a place) and
what is wrong, then what to do. The command ends with exit code 2, and never with a traceback. From Python it is an exception of
`tla2py.errors` with `code`, `message`, `where` and `hint`; the code stays the same from version to version.

What TLC finds is no error: a violated invariant is a row of a table. What [lint](../lint.md) finds has the code of its rule.

## Exit codes

| code | of `sweep` and `gate` | of `check` | of other commands |
|---|---|---|---|
| 0 | every point is as expected | the model holds | done |
| 1 | a verdict that was not expected | it is violated, or an ASSUME excludes it | `lint` found something, `trace --verify` was refused, `doctor` sees a problem |
| 2 | it did not run: usage, input, tools; or TLC could not evaluate the model | likewise | likewise |
| 3 | inconclusive: timeout, out of memory, a bounded search | likewise | `trace` of a log without a verdict |
| 130, 141 | interrupted; the reader of the output went away | likewise | likewise |

If several apply, 2 goes before 1 and 1 before 3.

"""
_TITLES = {
    "InputError": "What you wrote",
    "ToolchainError": "Java, TLC and Spark",
    "StoreError": "Stores",
}
_TABLE = "Words in capitals stand for what the error is about; ` / ` parts what is said from case to case.\n"


def errors_page() -> str:
    """The page, in Markdown."""
    parts = [_HEAD + _TABLE]
    for name in CLASSES:
        parts += [f"## {_TITLES[name]}", "", f"As an exception: `{name}`.", "", *_rows(name), ""]
    return "\n".join(parts)


def _rows(name: str) -> list[str]:
    rows = ["| code | what is wrong | what to do |", "|---|---|---|"]
    for code, group in groupby((each for each in raised_errors() if each.error == name), lambda e: e.code):
        said = dict.fromkeys((each.message, each.hint or "") for each in group)
        shown = f"`{code}`"
        for message, hint in said:
            rows.append(f"| {shown} | {_cell(message)} | {_cell(hint)} |")
            shown = ""
    return rows


# What Markdown would take for its own: little, so that a command can be pasted from the page's source too.
_SPECIAL = re.compile(r"\||\\(?=[^\w\s])|<(?=[\w/!])|`|\*(?=.*\*)|(?<!\w)_(?=\w.*\w_(?!\w))|(?<=\])\(")


def _cell(text: str) -> str:
    """Text as it is: what Markdown would take for its own is marked as text."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
