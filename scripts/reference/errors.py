"""The page of errors and exit codes."""

from __future__ import annotations

import re
from itertools import groupby

from scripts.reference.raised import CLASSES, raised_errors

_HEAD = """\
# Errors

Generated from the code. An error is one or two lines on standard error: the place (file, line and column, if known) and what
is wrong, then what to do. The command exits with code 2, never with a traceback. In Python an error is an exception of
`tla2py.errors` with `code`, `message`, `where` and `hint`; codes are stable across versions.

A result of TLC is not an error: a violated invariant is a row of a table. The code of a [lint](../lint.md) finding is the name
of its rule.

## Exit codes

| code | of `sweep` and `gate` | of `check` | of other commands |
|---|---|---|---|
| 0 | every point is as expected | the model holds | done |
| 1 | an unexpected verdict | a check is violated, or the model contradicts an ASSUME | `lint` found something, `trace --verify` refused a trace, `doctor` found a problem |
| 2 | the command did not run (usage, input, tools), or TLC could not evaluate the model | the same | the same |
| 3 | inconclusive: timeout, out of memory, a bounded search | the same | `trace`: the log has no verdict |
| 130 | interrupted | the same | the same |

If several apply, the precedence is 2, 1, 3. A closed standard output, or a reader of it that ends, changes no exit code.

"""
_TITLES = {
    "InputError": "What you wrote",
    "ToolchainError": "Java, TLC and Spark",
    "StoreError": "Stores",
}
_TABLE = "Words in capitals are placeholders; ` / ` separates alternatives.\n"


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


# The characters that Markdown would interpret; as few as possible, so that commands can be pasted from the source.
_SPECIAL = re.compile(r"\||\\(?=[^\w\s])|<(?=[\w/!])|`|\*(?=.*\*)|(?<!\w)_(?=\w.*\w_(?!\w))|(?<=\])\(")


def _cell(text: str) -> str:
    """The text with Markdown's characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
