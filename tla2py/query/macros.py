"""Spark's functions in DuckDB: macros that give Spark's rows, or fail where they cannot, so that Spark is asked."""

from __future__ import annotations

_TEXT = "typeof(x) IN ('VARCHAR', 'JSON')"
_INTEGER = r"regexp_full_match(spark_scalar(x), '\s*[+-]?[0-9]{1,19}\s*')"
_NUMBER_TYPES = (
    "'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'DOUBLE', 'UBIGINT', 'INTEGER_LITERAL'"
)

MACROS = (
    # What kind of type a value has; a null has none.
    f"""spark_family(x) AS CASE WHEN typeof(x) IN ({_NUMBER_TYPES}) OR starts_with(typeof(x), 'DECIMAL') THEN 'number'
        WHEN typeof(x) = '"NULL"' THEN NULL ELSE typeof(x) END""",
    # The value, where both are of one kind: DuckDB would compare numbers with texts as texts, Spark as numbers.
    """spark_like(x, y) AS CASE WHEN coalesce(spark_family(x) <> spark_family(y), false) THEN error('values of different types here') ELSE x END""",
    """spark_exact(x) AS CASE WHEN typeof(x) = 'DOUBLE' OR starts_with(typeof(x), 'DECIMAL') THEN error('a value of this type here') ELSE x END""",
    """spark_plain(x) AS CASE WHEN starts_with(typeof(x), 'DECIMAL') THEN error('arithmetic with decimal numbers') ELSE x END""",
    # Spark makes an interval of the difference of two dates.
    """spark_no_date(x) AS CASE WHEN typeof(x) = 'DATE' THEN error('arithmetic with dates') ELSE x END""",
    # A VARIANT's scalar without quotes; Spark prints objects with their keys in order.
    r"""spark_scalar(x) AS CASE WHEN typeof(x) = 'JSON' THEN
        CASE WHEN left(x::VARCHAR, 1) = '{' OR (left(x::VARCHAR, 1) = '[' AND (contains(x::VARCHAR, '{') OR contains(x::VARCHAR, '\')))
        THEN error('an object as a text') ELSE json_extract_string(CASE WHEN typeof(x) = 'JSON' THEN x::VARCHAR ELSE '0' END, '$') END
        ELSE x::VARCHAR END""",
    """spark_string(x) AS CASE
        WHEN typeof(x) IN ('VARCHAR', 'JSON', 'BOOLEAN', 'INTEGER', 'BIGINT', 'HUGEINT', 'TIMESTAMP', 'DATE', '"NULL"')
            OR starts_with(typeof(x), 'DECIMAL')
        THEN spark_scalar(x)
        WHEN typeof(x) = 'DOUBLE' AND regexp_full_match(x::VARCHAR, '0\\.0|-?([1-9][0-9]{0,5}\\.|0\\.0{0,1}[1-9])[0-9]{0,12}') THEN x::VARCHAR
        WHEN x IS NULL THEN NULL ELSE error('a value of this type here') END""".replace("\\\\", "\\"),
    # Spark truncates numbers and refuses texts with a fraction.
    rf"""spark_integer(x) AS CASE WHEN x IS NULL OR spark_scalar(x) IS NULL THEN NULL
        WHEN typeof(x) = 'BOOLEAN' THEN CASE WHEN x::VARCHAR = 'true' THEN '1' ELSE '0' END
        WHEN {_TEXT} AND NOT {_INTEGER} AND NOT (typeof(x) = 'JSON' AND spark_scalar(x) IN ('true', 'false')) THEN error('a text that is not an integer')
        WHEN spark_family(x) = 'number' THEN regexp_replace(x::VARCHAR, '\.[0-9]*$', '')
        WHEN {_TEXT} THEN CASE spark_scalar(x) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE trim(spark_scalar(x)) END
        ELSE error('a value of this type here') END""",
    rf"""spark_try_integer(x) AS CASE WHEN {_TEXT} AND NOT {_INTEGER} THEN NULL ELSE spark_integer(x) END""",
    """spark_div(x, y) AS CASE WHEN y = 0 THEN error('division by zero')
        WHEN 'DOUBLE' IN (typeof(x), typeof(y)) THEN x / y ELSE spark_plain(x) / spark_plain(y) END""",
    """spark_intdiv(x, y) AS CASE WHEN y = 0 THEN error('division by zero') ELSE spark_exact(x) // spark_exact(y) END""",
    """spark_mod(x, y) AS CASE WHEN y = 0 THEN error('division by zero') ELSE spark_plain(x) % spark_plain(y) END""",
    # Half away from zero on the decimal digits.
    """spark_round0(x) AS CASE WHEN typeof(x) = 'DOUBLE' THEN x::VARCHAR::DECIMAL(38, 0)::DOUBLE WHEN x IS NULL THEN NULL
        ELSE error('a value of this type here') END""",
    "spark_floor(x) AS CAST(floor(spark_plain(x)) AS BIGINT)",
    "spark_ceil(x) AS CAST(ceil(spark_plain(x)) AS BIGINT)",
    "spark_sign(x) AS CAST(sign(spark_plain(x)) AS DOUBLE)",
    """spark_slice(s, a, b) AS substring(s, greatest(a, 0) + 1, greatest(b - greatest(a, 0), 0))""",
    """spark_substring(s, p, n) AS CASE WHEN p IS NULL OR n IS NULL THEN NULL ELSE spark_slice(s, CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END,
        CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END + n) END""",
    # Java's rules for letters such as ß and İ, and for the ends of lines, are others.
    r"""spark_letters(s) AS CASE WHEN regexp_matches(s, '[^\x00-\x7F\x{C0}-\x{D6}\x{D8}-\x{DE}\x{E0}-\x{F6}\x{F8}-\x{FE}]') THEN error('letters such as these in upper or lower case') ELSE s END""",
    r"""spark_line(s) AS CASE WHEN regexp_matches(s, '[\r\x{0B}\x{85}\x{2028}\x{2029}]|\n\z') THEN error('ends of lines in a regular expression') ELSE s END""",
    "spark_right(s, n) AS CASE WHEN n <= 0 THEN '' ELSE right(s, n) END",
    """spark_item(x, i) AS CASE WHEN i < 0 OR i >= len(x) THEN error('an index outside the array') ELSE x[i + 1] END""",
    "spark_full(x) AS CASE WHEN len(x) > list_count(x) THEN error('null in an array') ELSE x END",
    """spark_any(x) AS CASE WHEN x IS NULL THEN NULL WHEN list_contains(x, true) THEN true
        WHEN len(x) > list_count(x) THEN NULL ELSE false END""",
    """spark_all(x) AS CASE WHEN x IS NULL THEN NULL WHEN list_contains(x, false) THEN false
        WHEN len(x) > list_count(x) THEN NULL ELSE true END""",
    """spark_contains(x, v) AS CASE WHEN x IS NULL OR v IS NULL THEN NULL WHEN list_contains(x, v) THEN true
        WHEN len(x) > list_count(x) THEN NULL ELSE false END""",
    """spark_position(x, v) AS CASE WHEN x IS NULL OR v IS NULL THEN NULL ELSE coalesce(list_position(x, v), 0) END""",
    "spark_distinct(x) AS list_filter(x, lambda e, i: list_position(x, e) = i)",
    "spark_union(x, y) AS spark_distinct(list_concat(spark_full(x), spark_full(y)))",
    "spark_intersect(x, y) AS spark_distinct(list_filter(spark_full(x), lambda e: list_contains(spark_full(y), e)))",
    "spark_except(x, y) AS spark_distinct(list_filter(spark_full(x), lambda e: NOT list_contains(spark_full(y), e)))",
    "spark_compact(x) AS list_filter(x, lambda e: e IS NOT NULL)",
    "spark_sublist(x, a, n) AS CASE WHEN a < 1 OR n < 0 THEN error('this slice') ELSE list_slice(x, a, a + n - 1) END",
    """spark_join(x, s) AS CASE WHEN typeof(x) IN ('VARCHAR[]', 'INTEGER[]', 'BIGINT[]') THEN array_to_string(x, s)
        ELSE error('a value of this type here') END""",
    "spark_sequence(a, b) AS CASE WHEN a <= b THEN generate_series(a, b) ELSE generate_series(a, b, -1) END",
    # An array<string> of a VARIANT.
    """spark_texts(x) AS CASE WHEN contains(x::VARCHAR, '{') OR contains(x::VARCHAR, '\\') THEN error('an object as a text')
        ELSE CAST(x AS VARCHAR[]) END""".replace("\\\\", "\\"),
    "spark_keys(x) AS list_sort(json_keys(x))",
    "spark_date(x) AS CASE WHEN typeof(x) IN ('DATE', 'TIMESTAMP', 'VARCHAR') THEN CAST(x AS DATE) ELSE error('a value of this type here') END",
    # DuckDB reads 1_000.
    "spark_double(x) AS CASE WHEN contains(x::VARCHAR, '_') THEN error('this text as a number') ELSE x END",
    # DuckDB ignores zones.
    r"""spark_timestamp(x) AS CASE WHEN typeof(x) IN ('DATE', 'TIMESTAMP')
        OR regexp_full_match(x::VARCHAR, '\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d{1,6})?Z?)?')
        THEN CAST(x AS TIMESTAMP) WHEN x IS NULL THEN NULL ELSE error('this text as a time') END""",
)
