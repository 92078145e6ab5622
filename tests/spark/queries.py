"""Queries that are right in both dialects: the tables of both engines must give the same rows."""

from __future__ import annotations

PORTABLE = """
SELECT * FROM runs ORDER BY point;
SELECT point, verdict, distinct FROM runs;
SELECT point, distinct FROM runs ORDER BY distinct, point;
SELECT distinct, verdict FROM runs ORDER BY point;
SELECT distinct = 0 AS none FROM runs;
SELECT DISTINCT verdict FROM runs;
SELECT DISTINCT distinct FROM runs;
SELECT count(DISTINCT distinct) AS n, sum(distinct) AS total, max(distinct) AS most, max(distinct + 1) AS one FROM runs;
SELECT point FROM runs WHERE distinct > 0 AND distinct IS NOT NULL ORDER BY distinct DESC;
SELECT POINT, Verdict FROM RUNS WHERE VERDICT = 'holds';
SELECT verdict, count(*) AS n FROM runs GROUP BY verdict ORDER BY n DESC, verdict;
SELECT verdict, logsize, count(*) AS n FROM runs GROUP BY ALL ORDER BY ALL;
SELECT verdict, count(*) AS n FROM runs GROUP BY 1 HAVING n > 1;
SELECT verdict, LogSize, sum(distinct) AS n FROM runs GROUP BY CUBE (verdict, LogSize);
SELECT verdict, LogSize, count(*) AS n FROM runs GROUP BY GROUPING SETS ((verdict), (LogSize), ());
SELECT point FROM runs ORDER BY point DESC LIMIT 2;
SELECT point FROM runs ORDER BY point LIMIT 2 OFFSET 1;
SELECT t.name, t.length FROM traces t JOIN runs r ON t.run_id = r.run_id ORDER BY t.name;
SELECT * FROM traces t JOIN runs r ON t.run_id = r.run_id ORDER BY t.trace;
SELECT * FROM traces JOIN states USING (run_id, trace) ORDER BY name, index;
SELECT r.point, t.name FROM runs r LEFT JOIN traces t USING (run_id) ORDER BY r.point, t.name;
SELECT r.point, t.name FROM traces t RIGHT JOIN runs r USING (run_id) ORDER BY r.point, t.name;
SELECT a.point AS one, b.point AS two FROM runs a CROSS JOIN runs b WHERE a.point < b.point ORDER BY one, two;
SELECT a.point AS one, b.point AS two FROM runs a, runs b WHERE a.verdict = b.verdict AND a.point < b.point;
SELECT point FROM runs r WHERE EXISTS (SELECT 1 FROM traces t WHERE t.run_id = r.run_id);
SELECT point FROM runs r WHERE NOT EXISTS (SELECT * FROM traces t WHERE t.run_id = r.run_id) ORDER BY 1;
SELECT point FROM runs WHERE run_id IN (SELECT run_id FROM traces);
SELECT point FROM runs WHERE run_id NOT IN (SELECT run_id FROM traces) ORDER BY point;
SELECT point, (SELECT max(t.length) FROM traces t WHERE t.run_id = r.run_id) AS longest FROM runs r ORDER BY point;
SELECT name, length FROM traces WHERE length = (SELECT max(length) FROM traces);
SELECT s.name FROM (SELECT name, length FROM traces WHERE length > 8) s ORDER BY s.name;
WITH long AS (SELECT * FROM traces WHERE length > 9) SELECT name, length FROM long;
WITH a AS (SELECT run_id, count(*) AS n FROM changes GROUP BY run_id), b AS (SELECT * FROM a WHERE n > 3) SELECT r.point, b.n FROM b JOIN runs r USING (run_id);
WITH n(x) AS (SELECT point FROM runs) SELECT max(x) AS m FROM n;
SELECT name, index, row_number() OVER (PARTITION BY name ORDER BY index DESC) AS back FROM states JOIN traces USING (run_id, trace) ORDER BY name, index;
SELECT trace, index, action, lag(action) OVER (PARTITION BY trace ORDER BY index) AS before, lead(action, 2, 'none') OVER (PARTITION BY trace ORDER BY index) AS later FROM states ORDER BY trace, index;
SELECT trace, index, sum(index) OVER (PARTITION BY trace ORDER BY index ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM states ORDER BY trace, index;
SELECT point, rank() OVER (ORDER BY distinct) AS r, dense_rank() OVER (ORDER BY distinct) AS d, ntile(2) OVER (ORDER BY point) AS half FROM runs ORDER BY point;
SELECT point, percent_rank() OVER (ORDER BY distinct) AS p, cume_dist() OVER (ORDER BY distinct) AS c FROM runs ORDER BY point;
SELECT trace, index, first_value(action) OVER w AS f, count(*) OVER w AS n FROM states WINDOW w AS (PARTITION BY trace ORDER BY index) ORDER BY trace, index;
SELECT trace, index, action FROM states QUALIFY row_number() OVER (PARTITION BY trace ORDER BY index DESC) = 1 ORDER BY trace;
SELECT index, state FROM states WHERE trace = 1 ORDER BY index LIMIT 2;
SELECT s.initial, count(*) AS edges FROM graph_edges e JOIN graph_states s ON s.run_id = e.run_id AND s.fingerprint = e.source GROUP BY s.initial ORDER BY 1;
SELECT action, count(*) AS n, count(DISTINCT source) AS sources FROM graph_edges GROUP BY action ORDER BY n DESC, action;
SELECT point FROM runs WHERE verdict = 'holds' UNION SELECT length FROM traces;
SELECT verdict AS v FROM runs UNION ALL SELECT name FROM traces ORDER BY v;
SELECT verdict FROM runs INTERSECT SELECT 'holds';
SELECT point FROM runs EXCEPT SELECT 1 ORDER BY point;
SELECT CASE verdict WHEN 'holds' THEN 1 WHEN 'violated' THEN 2 END AS c, CASE WHEN distinct > 300 THEN 'many' WHEN distinct > 0 THEN 'some' ELSE 'none' END AS d FROM runs ORDER BY point;
SELECT sum(length) AS s, avg(length) AS a, min(name) AS m, count(loop_start) AS n, max(stuttering) AS st FROM traces WHERE length > 100;
SELECT avg(index) AS a, sum(index) AS s, count(action) AS n, count_if(action IS NULL) AS c FROM states;
SELECT count(*) FILTER (WHERE verdict = 'holds') AS h, sum(distinct) FILTER (WHERE point > 100) AS s FROM runs;
SELECT median(length) AS m FROM traces;
SELECT sum(1.5) AS a, max(wall_seconds * 0.5) = max(wall_seconds) / 2 AS b, 1.5 AS c, 2.50 + 1 AS d, 1.5 * 2 AS e, -1.25 AS f FROM runs;
""".strip().split(";\n")
