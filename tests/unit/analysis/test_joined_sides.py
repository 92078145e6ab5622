"""Two specifications side by side: which variables have counterparts, and what properties read."""

from __future__ import annotations

from pathlib import Path

from tla2py.analysis.fairness import find_parts
from tla2py.analysis.reference_join import Side, read_variables, unmapped
from tla2py.model.model import Config
from tla2py.tla.graph import ModuleGraph, find_bodies
from tla2py.tla.parse import read_text

CANDIDATE = """---- MODULE Candidate ----
VARIABLES st, owner, pc
vars == <<st, owner, pc>>
Init == st = 0 /\\ owner = 0 /\\ pc = "a"
Next == st' = 1 /\\ UNCHANGED <<owner, pc>>
Last == st' = 2 /\\ UNCHANGED <<owner, pc>>
Live == WF_vars(Next) /\\ WF_st(Next) /\\ SF_vars(Last)
Spec == /\\ Init
        /\\ [][Next]_vars
        /\\ Live  \\* and more
Rises == [][st' > st]_vars
Typed == LET is(c) == pc = c IN is("a")
====
"""
REFERENCE = """---- MODULE Reference ----
VARIABLES pc, owner
====
"""


def side(word: str, text: str) -> Side:
    module = read_text(text, Path(f"{word}.tla"))
    spec = ModuleGraph(root=module, modules=(module,), standard=())
    return Side(word=word, spec=spec, config=Config(specification="Spec"))


def test_a_name_that_a_map_gives_is_no_counterpart_of_another_variable() -> None:
    candidate, reference = side("Candidate", CANDIDATE), side("Reference", REFERENCE)
    # The reference's pc is the candidate's st, so that the candidate's own pc has no counterpart.
    assert unmapped(candidate, reference, {"pc": "st"}) == []
    assert unmapped(reference, candidate, {"st": "pc"}) == ["pc"]
    assert unmapped(reference, candidate, {}) == ["st"]


def test_variables_in_subscripts_are_not_read() -> None:
    spec = side("Candidate", CANDIDATE).spec
    assert read_variables(spec, find_bodies(spec, ["Rises"])) == {"st"}
    assert read_variables(spec, find_bodies(spec, ["Typed"])) == {"pc"}
    assert read_variables(spec, find_bodies(spec, ["Spec"])) == {"st", "owner", "pc"}


def test_what_a_specification_asks_for_beside_its_steps() -> None:
    parts = find_parts(side("Candidate", CANDIDATE))
    assert [conjunct.text for conjunct in parts.initial] == ["Init"]
    assert [conjunct.text for conjunct in parts.relations] == ["[][Next]_vars"]
    conditions = [(conjunct.text, conjunct.progress) for conjunct in parts.conditions]
    # The fairness of the next-state relation asks that steps are taken; with another subscript it asks for less.
    assert conditions == [("WF_vars(Next)", True), ("WF_st(Next)", False), ("SF_vars(Last)", False)]
