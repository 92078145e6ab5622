"""The syntax tree of a query in Spark's dialect."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.errors import SqlglotError
from sqlglot.parser import Parser
from sqlglot.parsers.databricks import DatabricksParser
from sqlglot.tokenizer_core import Token, TokenType


class NotTranslated(Exception):  # noqa: N818 - not an error: Spark answers then
    """A construct outside the list, named by the message."""


class NotRead(NotTranslated):
    """Syntax that the parser does not know, which may be wrong or only Spark's."""


# What stands before DISTINCT as a keyword; after anything else, or before what begins no expression, it is the column.
_BEFORE_DISTINCT = {
    TokenType.SELECT,
    TokenType.UNION,
    TokenType.INTERSECT,
    TokenType.EXCEPT,
    TokenType.L_PAREN,
}
_AFTER_COLUMN = {
    TokenType.R_PAREN, TokenType.COMMA, TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE,
    TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND, TokenType.OR, TokenType.IS, TokenType.IN, TokenType.BETWEEN,
    TokenType.LIKE, TokenType.ALIAS, TokenType.DIV, TokenType.NULLSAFE_EQ, TokenType.DCOLON,
}  # fmt: skip
# After SELECT Spark reads a word as the column that DISTINCT is about.
_WORDS = {
    TokenType.AND, TokenType.OR, TokenType.IS, TokenType.IN, TokenType.BETWEEN, TokenType.LIKE, TokenType.ALIAS, TokenType.DIV,
}  # fmt: skip
_BEFORE_SIGN = {TokenType.SELECT, TokenType.COMMA, TokenType.L_PAREN}
# Escapes that both dialects read alike, or that a pattern keeps.
_ESCAPES = re.compile(r"\\[\\'\"ntrb0%_]")


def _noting(name: str, parse: Callable[[Parser], exp.Expr | None]) -> Callable[[Parser], exp.Expr | None]:
    """A parser of a function with a syntax of its own, with the name noted in the tree."""

    def parsed(parser: Parser) -> exp.Expr | None:
        node = parse(parser)
        if isinstance(node, exp.Func):
            node.meta["function"] = name
        return node

    return parsed


class _Parser(DatabricksParser):
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., exp.Expr | None]]] = {
        name: _noting(name.lower(), parse) for name, parse in DatabricksParser.FUNCTION_PARSERS.items()
    }


def parse_query(statement: str) -> exp.Query:
    """The tree of a statement. Raises NotTranslated if it is not one query that sqlglot reads."""
    dialect = Databricks()
    # It warns of statements that it does not parse.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        tokens = list(_mended(statement, dialect.tokenize(statement)))
        trees = _Parser(dialect=dialect).parse(tokens, statement)
    except SqlglotError as error:
        raise NotRead(f"this syntax: {_place(error)}") from error
    except (LookupError, ValueError) as error:
        # What makes some nodes counts on the right number of arguments.
        raise NotTranslated("a function with this number of arguments") from error
    except RecursionError as error:
        raise NotTranslated("so deep an expression") from error
    if len(trees) != 1 or trees[0] is None:
        raise NotTranslated("several statements")
    if not isinstance(trees[0], exp.Query):
        raise NotTranslated(statement.split(maxsplit=1)[0].upper())
    for node in trees[0].walk():
        # The parser knows several names of one function.
        end = node.meta.get("end")
        if end is not None and statement[end + 1 :].lstrip().startswith("("):
            node.meta["function"] = statement[node.meta["start"] : end + 1].lower()
    return trees[0]


_SYMBOLS: dict[type[exp.Expr], str] = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseNot: "~",
    exp.Collate: "COLLATE",
    exp.HexString: "X'...'",
    exp.Subquery: "a subquery",
    exp.Not: "IS NOT NULL",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Literal: "this literal",
}


def written(node: exp.Expr) -> str:
    """A construct in the words of the query."""
    if "function" in node.meta:
        return f"{node.meta['function']}()"
    if type(node) in _SYMBOLS:
        return _SYMBOLS[type(node)]
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary):
        return f"{node.sql_name().lower()}()"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _place(error: SqlglotError) -> str:
    """Where the parser stopped."""
    for detail in getattr(error, "errors", ()):
        return f"line {detail['line']}, column {detail['col']}, at {detail['highlight']!r}"
    return "a character that no token begins with"


def _mended(statement: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, with ``distinct`` as a name where it is a column.

    Raises NotTranslated for escapes in a string that only Spark reads.
    """
    for place, token in enumerate(tokens):
        if (
            token.token_type == TokenType.STRING
            and place
            and tokens[place - 1].token_type == TokenType.STRING
        ):
            raise NotTranslated("a string of two parts")
        if token.token_type == TokenType.STRING and "\\" in statement[token.start : token.end + 1]:
            if "\\" in _ESCAPES.sub("", statement[token.start : token.end + 1]):
                raise NotTranslated("this escape in a string")
        elif token.token_type == TokenType.HINT:
            raise NotTranslated("a hint")
        elif token.token_type == TokenType.PLUS and tokens[place - 1].token_type in _BEFORE_SIGN:
            raise NotTranslated("+ as a sign")
        if token.token_type == TokenType.DISTINCT and not _is_keyword(tokens, place):
            yield Token(
                TokenType.VAR, token.text, token.line, token.col, token.start, token.end, token.comments
            )
        else:
            yield token


def _is_keyword(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].token_type if place else TokenType.SEMICOLON
    after = tokens[place + 1].token_type if place + 1 < len(tokens) else TokenType.SEMICOLON
    if before in (TokenType.IS, TokenType.NOT):
        return after == TokenType.FROM
    if before == TokenType.L_PAREN and after == TokenType.STAR:
        raise NotTranslated("(DISTINCT *")
    if before == TokenType.L_PAREN:
        return after not in _AFTER_COLUMN
    return before in _BEFORE_DISTINCT and after not in _AFTER_COLUMN - _WORDS
