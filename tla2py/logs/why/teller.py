"""The module of what an execution about a log prints."""

from __future__ import annotations

PROBE = "Tla2pyWhy"
TAG = "tla2py:why"
"""The first element of what the execution prints."""
MOST_STATES = 20
"""How many of the states before a line are printed."""
# The steps of the specification that are printed for these states.
_MOST_STEPS = 500
TELLER = f"{PROBE}Tell"
LAST = "LAST"
# The registers of TLCSet: the path, whether it is printed, the numbers of states and steps printed, whether the invariant was
# violated, and the steps printed for a position.
_PATH, _TELLS, _STATES, _STEPS, _SHOWN, _TAKEN = range(4100, 4106)


def teller_text(depths: list[int]) -> str:
    """The module of what the copies print, with registers of TLCSet, which are those of one worker.

    The path is the list of the numbers of the conjuncts that TLC has tried so far. A step is printed once for each position
    and path.
    """
    return f"""---- MODULE {TELLER} ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Depths == <<{", ".join(map(str, depths))}>>
Tells(position) == position = {LAST} /\\ TLCGet({_TELLS})
Begins == /\\ TLCSet({_PATH}, <<>>) /\\ TLCSet({_TELLS}, FALSE) /\\ TLCSet({_STATES}, 0)
          /\\ TLCSet({_STEPS}, 0) /\\ TLCSet({_SHOWN}, FALSE) /\\ TLCSet({_TAKEN}, <<0, {{}}>>)
LOCAL Tried(event, number, names, values) ==
  LET before == SelectSeq(TLCGet({_PATH}), LAMBDA each : Depths[each + 1] < Depths[number + 1])
  IN  /\\ TLCSet({_PATH}, Append(before, number))
      /\\ IF TLCGet({_TELLS}) THEN PrintT(<<"{TAG}", event, number, names, values>>) ELSE TRUE
Try(number, names, values) == Tried("try", number, names, values)
Bound(number, names, values) == Tried("bound", number, names, values)
Never == FALSE
Pass(number) == TRUE
At(position, values) ==
  /\\ TLCSet({_PATH}, <<>>)
  /\\ PrintT(<<"{TAG}", "at", position>>)
  /\\ IF position = {LAST} /\\ TLCGet({_STATES}) < {MOST_STATES}
     THEN /\\ TLCSet({_STATES}, TLCGet({_STATES}) + 1)
          /\\ TLCSet({_TELLS}, TRUE)
          /\\ PrintT(<<"{TAG}", "state", values>>)
     ELSE TLCSet({_TELLS}, FALSE)
Step(position) ==
  LET path == TLCGet({_PATH})
      taken == TLCGet({_TAKEN})
  IN  IF taken[1] = position /\\ path \\in taken[2] THEN TRUE
      ELSE /\\ PrintT(<<"{TAG}", "step", position, path>>)
           /\\ TLCSet({_TAKEN}, <<position, {{path}} \\cup IF taken[1] = position THEN taken[2] ELSE {{}}>>)
Can(values) ==
  IF TLCGet({_STEPS}) >= {_MOST_STEPS} THEN TRUE
  ELSE TLCSet({_STEPS}, TLCGet({_STEPS}) + 1) /\\ PrintT(<<"{TAG}", "can", values>>)
Furthest(position) == position # {LAST} \\/ TLCGet({_SHOWN}) \\/ ~TLCSet({_SHOWN}, TRUE)
====
"""
