"""What a log says of values, and the TLA+ module that compares it with them.

JSON does not tell a string from a model value, a record from a function or a sequence from a set: the module decides by
the value that it compares with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tla2py.logs.read import JsonValue
from tla2py.logs.tla import scalar_text, string_text, value_error

MATCH_MODULE = "Tla2pyMatch"
"""The name of the module that compares values with what a log says."""

GIVES, SHOWS = "Tla2py_Gives", "Tla2py_Shows"
"""The operators that compare an argument, and whether a line shows a variable; both take the line and a name."""

_DEEPEST = 60

# TLC refuses to compare values of different types, so the text of a value decides its type. Said is <<0, text>> for
# numbers, booleans and the value of null, <<1, string, texts of model values>>, <<2, keys with what is said>>, <<3, elements>>.
MATCH_TEXT = f"""---- MODULE {MATCH_MODULE} ----
\\* Written by tla2py: compares values with what a log says of them.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Begins(text, characters) == SubSeq(text, 1, 1) \\in characters
LOCAL Digits == {{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-"}}
LOCAL Quote == {{"\\""}}
LOCAL IsKey(key, name) ==
  LET text == ToString(key) IN IF Begins(text, Quote) THEN key = name ELSE text = name
RECURSIVE Tla2py_Agrees(_, _)
Tla2py_Agrees(value, said) ==
  CASE said[1] = 0 -> ToString(value) = said[2]
    [] said[1] = 1 ->
         LET text == ToString(value)
         IN  IF Begins(text, Quote) THEN value = said[2] ELSE text \\in said[3]
    [] said[1] = 2 ->
         LET text == ToString(value)
         IN  IF text \\in {{"<<>>", "<< >>"}} \\/ ~Begins(text, {{"[", "(", "<"}})
             THEN said[2] = <<>> /\\ Begins(text, {{"<"}})
             ELSE \\A i \\in 1..Len(said[2]) :
                    \\E key \\in DOMAIN value :
                      IsKey(key, said[2][i][1]) /\\ Tla2py_Agrees(value[key], said[2][i][2])
    [] said[1] = 3 ->
         LET text == ToString(value)
             size == Len(said[2])
         IN  CASE Begins(text, {{"<"}}) ->
                    /\\ Len(value) = size
                    /\\ \\A i \\in 1..size : Tla2py_Agrees(value[i], said[2][i])
               [] Begins(text, {{"{{"}})
                    \\/ (Begins(text, Digits) /\\ \\E i \\in 2..Len(text) : SubSeq(text, i, i) = ".") ->
                    /\\ \\A element \\in value : \\E i \\in 1..size : Tla2py_Agrees(element, said[2][i])
                    /\\ \\A i \\in 1..size : \\E element \\in value : Tla2py_Agrees(element, said[2][i])
               [] OTHER -> FALSE
Tla2py_After(number) == number + 1
Tla2py_UpTo(number, bound) == number <= bound
Tla2py_Matches(line, names, arguments) ==
  /\\ line.action = "" \\/ line.action \\in names
  /\\ DOMAIN line.args \\subseteq arguments
Tla2py_Gives(line, name, value) == name \\in DOMAIN line.args => Tla2py_Agrees(value, line.args[name])
Tla2py_Shows(line, name) == name \\in DOMAIN line.state
====
"""


def said_text(
    value: JsonValue, where: str, path: str, model_values: Collection[str], null: str | None
) -> str:
    """What a log says of a value, as the TLA+ text that ``Tla2py_Agrees`` takes.

    A string also stands for the model value of that name. Raises InputError (``log-value``).
    """
    return "".join(_said(value, where, path, model_values, null, 0))


def _said(
    value: JsonValue, where: str, path: str, model_values: Collection[str], null: str | None, depth: int
) -> Iterator[str]:
    if depth > _DEEPEST:
        raise value_error(f"{path} is nested deeper than {_DEEPEST} levels", where)
    match value:
        case str():
            model_value = f"{{{string_text(value, where)}}}" if value in model_values else "{}"
            yield f"<<1, {string_text(value, where)}, {model_value}>>"
        case dict():
            yield "<<2, <<"
            for number, (key, each) in enumerate(value.items()):
                yield f"{', ' * (number > 0)}<<{string_text(key, where)}, "
                yield from _said(each, where, f"{path}.{key}", model_values, null, depth + 1)
                yield ">>"
            yield ">>>>"
        case list():
            yield "<<3, <<"
            for number, each in enumerate(value):
                yield ", " * (number > 0)
                yield from _said(each, where, path, model_values, null, depth + 1)
            yield ">>>>"
        case _:
            yield f"<<0, {string_text(scalar_text(value, where, path, null), where)}>>"
