"""The names that Spark gives to columns of a result without AS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from tla2py.query.parse import NotTranslated, written

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "div", exp.Mod: "%", exp.EQ: "=", exp.LT: "<",
    exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>", exp.And: "AND", exp.Or: "OR",
}  # fmt: skip
# Functions whose arguments Spark prints as they are written.
_FUNCTIONS = """abs add_months any_value array array_agg array_append array_compact array_contains array_distinct array_except array_intersect
    array_join array_max array_min array_position array_size array_union ascii avg bool_and bool_or cardinality ceil ceiling
    char_length coalesce collect_list collect_set concat concat_ws contains count count_if day dayofmonth dayofweek element_at
    endswith every flatten floor greatest hour ifnull instr last_day lcase least left len length lower lpad ltrim
    max max_by median min min_by minute mod month nullif nvl nvl2 quarter regexp_extract regexp_extract_all regexp_replace
    repeat replace reverse right round rpad rtrim second sequence sign size slice some sort_array split sqrt startswith
    substr substring sum to_date translate trim ucase upper weekofyear year"""
_PRINTED = {"array_agg": "collect_list", "ceil": "CEIL", "floor": "FLOOR", "sqrt": "SQRT"}
# The argument that Spark adds to so many others.
_ADDED = {
    ("round", 1): "0",
    ("substr", 2): "2147483647",
    ("substring", 2): "2147483647",
    ("lpad", 2): " ",
    ("rpad", 2): " ",
    ("replace", 2): "",
    ("sort_array", 1): "true",
    ("split", 2): "-1",
    ("regexp_extract", 2): "1",
    ("regexp_extract_all", 2): "1",
    ("regexp_replace", 3): "1",
}
_CASTS = {exp.DType.TEXT, exp.DType.INT, exp.DType.BIGINT, exp.DType.DOUBLE}


def name_columns(tree: exp.Query, statement: str) -> None:
    """Give every column of every SELECT the name that Spark gives it. Raises NotTranslated if it is not known."""
    for select in list(tree.find_all(exp.Select)):
        if isinstance(select.parent, exp.Exists | exp.In):
            continue
        names = _Names(select, statement)
        named: list[exp.Expr] = []
        for each in select.expressions:
            if isinstance(each, exp.Alias | exp.Aliases | exp.Star | exp.Posexplode) or _is_star(each):
                named.append(each)
            elif isinstance(each, exp.Explode):
                named.append(exp.alias_(each, "col", quoted=True))
            else:
                named.append(exp.alias_(each.copy(), names.of(each), quoted=True))
        select.set("expressions", named)


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


class _Names:
    """The names of the expressions of a SELECT."""

    def __init__(self, select: exp.Select, statement: str) -> None:
        self._statement = statement
        sources = select.root().find_all(exp.Table, exp.CTE, exp.Subquery, exp.Lateral, exp.Values)
        self._tables = {node.alias_or_name.lower() for node in sources}
        # Spark prints a name that the same SELECT gives as a reference, and a parameter without its name.
        self._given = {each.alias.lower() for each in select.expressions}
        self._given |= {
            name.name.lower() for node in select.find_all(exp.Lambda) for name in node.expressions
        }

    def of(self, node: exp.Expr) -> str:
        """The name of a column of a result."""
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.JSONExtract | exp.Column):
            node = node.this
        if isinstance(node, exp.Column):
            return node.name
        if isinstance(node, exp.Dot) and not isinstance(node.this, exp.Bracket):
            return str(node.expression.name)
        return _last_key(node) if isinstance(node, exp.JSONExtract) else self._text(node)

    def _text(self, node: exp.Expr) -> str:
        """An expression as Spark prints it."""
        name = None if isinstance(node, exp.Cast) else node.meta.get("function")
        if name in _FUNCTIONS.split():
            return self._call(node, name)
        if name is None:
            for text in self._texts(node):
                return text
        shown = f"{written(node.this)} OVER" if isinstance(node, exp.Window) else written(node)
        raise NotTranslated(f"{shown} in a column without AS")

    def _texts(self, node: exp.Expr) -> Iterator[str]:
        """The text of an operator, a column or a literal, if it is known."""
        if isinstance(node, exp.Column):
            table = node.text("table")
            if not table or table.lower() in self._tables:
                if node.name.lower() not in self._given:
                    yield node.name
            elif table.lower() not in self._given:
                yield f"{table}.{node.name}"
        elif isinstance(node, exp.Literal):
            if node.is_string or re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", node.this):
                yield str(node.this)
        elif isinstance(node, exp.Null):
            yield "NULL"
        elif isinstance(node, exp.Boolean):
            yield "true" if node.this else "false"
        elif isinstance(node, exp.Paren | exp.TsOrDsToDate):
            yield self._text(node.this)
        elif isinstance(node, exp.Neg):
            inner = self._text(node.this)
            yield f"-{inner}" if isinstance(node.this, exp.Literal) else f"(- {inner})"
        elif type(node) in _OPERATORS:
            yield f"({self._text(node.this)} {_OPERATORS[type(node)]} {self._text(node.expression)})"
        elif isinstance(node, exp.DPipe):
            yield f"concat({self._text(node.this)}, {self._text(node.expression)})"
        elif type(node) is exp.Cast and node.to.this in _CASTS:
            yield f"CAST({self._text(node.this)} AS {node.to.sql('spark')})"
        elif isinstance(node, exp.JSONExtract):
            yield self._path(node)
        elif isinstance(node, exp.Bracket) and len(node.expressions) == 1:
            yield f"{self._text(node.this)}[{self._text(node.expressions[0])}]"
        elif isinstance(node, exp.Dot) and isinstance(node.this, exp.Bracket):
            yield f"{self._text(node.this)}.{node.expression.name}"
        else:
            yield from self._conditions(node)

    def _conditions(self, node: exp.Expr) -> Iterator[str]:
        """The text of a condition, or of what depends on one."""
        if isinstance(node, exp.NEQ):
            yield f"(NOT ({self._text(node.this)} = {self._text(node.expression)}))"
        elif isinstance(node, exp.Is):
            yield f"({self._text(node.this)} IS {self._text(node.expression)})"
        elif isinstance(node, exp.Not):
            if not isinstance(node.this, exp.Is):
                yield f"(NOT {self._text(node.this)})"
            elif not re.search(r"(?i)\bNOT\b(?!\s+NULL\b)", self._statement):
                # Otherwise the tree does not tell NOT x IS NULL from x IS NOT NULL.
                yield f"({self._text(node.this.this)} IS NOT NULL)"
        elif isinstance(node, exp.Between):
            yield f"between({self._list(node.this, node.args['low'], node.args['high'])})"
        elif isinstance(node, exp.In):
            if not node.args.get("query"):
                yield f"({self._text(node.this)} IN ({self._list(*node.expressions)}))"
        elif type(node) is exp.Like:
            text = f"{self._text(node.this)} LIKE {self._text(node.expression)}"
            yield f"(NOT {text})" if node.args.get("negate") else text
        elif isinstance(node, exp.ILike | exp.RegexpLike):
            name = "ilike" if isinstance(node, exp.ILike) else "RLIKE"
            text = f"{name}({self._list(node.this, node.expression)})"
            yield f"(NOT {text})" if node.args.get("negate") else text
        elif isinstance(node, exp.If):
            yield f"(IF({self._list(node.this, node.args['true'], node.args.get('false') or exp.null())}))"
        elif isinstance(node, exp.Case):
            yield f"CASE {''.join(self._branches(node))}END"
        elif isinstance(node, exp.Filter):
            yield f"{self._text(node.this)} FILTER (WHERE {self._text(node.expression.this)})"

    def _branches(self, node: exp.Case) -> Iterator[str]:
        subject = f"({self._text(node.this)} = {{}})" if node.this else "{}"
        for each in node.args["ifs"]:
            yield f"WHEN {subject.format(self._text(each.this))} THEN {self._text(each.args['true'])} "
        if node.args.get("default"):
            yield f"ELSE {self._text(node.args['default'])} "

    def _path(self, node: exp.JSONExtract) -> str:
        """A path into a VARIANT, if the query writes it as it is printed here."""
        path = ""
        for part in node.expression.expressions[1:]:
            key = part.this
            path += (
                f".{key}" if str(key).isidentifier() else f"[{key}]" if isinstance(key, int) else f"['{key}']"
            )
        same = [each for each in node.root().find_all(exp.JSONExtract) if each.expression == node.expression]
        if path.startswith(".") and self._statement.count(f":{path[1:]}") >= len(same):
            last = _last_key(node)
            alias = last if last.isidentifier() else f"`{last}`"
            return f"variant_get({self._text(node.this)}, ${path}) AS {alias}"
        raise NotTranslated("this path in a column without AS")

    def _call(self, node: exp.Expr, name: str) -> str:
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
            return "count(1)"
        given: list[exp.Expr] = []
        for part in node.arg_types:
            value = node.args.get(part) if part != "nulls_first" else None
            given += value if isinstance(value, list) else [value] if isinstance(value, exp.Expr) else []
        distinct = ""
        if len(given) == 1 and isinstance(given[0], exp.Distinct):
            distinct, given = "DISTINCT ", given[0].expressions
        texts = [self._text(each) for each in given]
        if (name, len(texts)) in _ADDED:
            texts.append(_ADDED[name, len(texts)])
        return f"{_PRINTED.get(name, name)}({distinct}{', '.join(texts)})"

    def _list(self, *nodes: exp.Expr) -> str:
        return ", ".join(self._text(each) for each in nodes)


def _last_key(node: exp.JSONExtract) -> str:
    """The last key of a path into a VARIANT."""
    keys = [str(part.this) for part in node.expression.expressions if isinstance(part, exp.JSONPathKey)]
    if not keys:
        raise NotTranslated("a path without keys in a column without AS")
    return keys[-1]
