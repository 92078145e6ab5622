// The points as a list that is drawn as far as it can be seen.
import { useSignal } from "@preact/signals";
import { NOT_RUN } from "./data";
import type { State } from "./state";
import { TITLES, shareText, shown } from "./text";
import { span, useSeen } from "./window";

const LINE = 26;
const STYLES: Record<string, string> = { holds: "x-good", violated: "x-bad", excluded: "x-none", [NOT_RUN]: "x-dim" };

export function PointList({ state }: { state: State }) {
  const { parameters, points } = state.store.overview;
  const varying = parameters.flatMap((each, column) => (each.values.length > 1 ? [{ ...each, column }] : []));
  const numbers = Object.keys(points.numbers);
  const order = useSignal<[string, 1 | -1]>(["point", 1]);
  const [ref, seen] = useSeen<HTMLDivElement>();
  const key = (name: string) => {
    const parameter = varying.find((each) => each.name === name);
    if (name === "point") return (at: number) => points.point[at]!;
    if (name === "verdict") return (at: number) => points.text[at]!;
    const share = state.shares.value.get(name);
    if (share) return (at: number) => (share[at]![1] === 0 ? null : share[at]![0] / share[at]![1]);
    if (parameter) return (at: number) => points.values[parameter.column]![at]!;
    return (at: number) => points.numbers[name]?.[at] ?? null;
  };
  const [sorted, way] = order.value;
  const by = key(sorted);
  const rows = [...state.points.value].sort((one, other) => {
    const [left, right] = [by(one), by(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return (left < right ? -1 : left > right ? 1 : one - other) * way;
  });
  const sentences = [...state.shares.value.keys()];
  const [from, to] = span(rows.length, LINE, seen.top, seen.height);
  const columns = ["point", "verdict", ...sentences, ...varying.map((each) => each.name), ...numbers];
  const title = (name: string) => TITLES[name] ?? name;
  // The longest text of a column, up to a limit; the title of a cell has all of its value.
  const longest = (name: string) => Math.max(title(name).length, ...(varying.find((each) => each.name === name)?.values.map((each) => each.length) ?? []));
  const wide = (name: string) => Math.max(4.5, Math.min(longest(name), 30) * 0.6 + 0.5);
  const widths = columns.map((name) => (name === "verdict" ? "minmax(14rem, 2fr)" : `minmax(${wide(name)}rem, 1fr)`)).join(" ");
  return (
    <section id="x-points" aria-labelledby="x-points-title">
      <h2 id="x-points-title">Points</h2>
      <p class="x-dim" role="status">
        {rows.length} of {points.point.length} points
      </p>
      <div ref={ref} class="x-scroll x-list" role="grid" aria-labelledby="x-points-title" aria-rowcount={rows.length + 1} tabIndex={0}>
        <div class="x-all" role="rowgroup" style={{ height: `${(rows.length + 1) * LINE}px` }}>
          <div class="x-line x-top" role="row" aria-rowindex={1} style={{ gridTemplateColumns: widths }}>
            {columns.map((name) => (
              <span key={name} role="columnheader" class={numbers.includes(name) ? "x-n" : ""} aria-sort={sorted === name ? (way > 0 ? "ascending" : "descending") : "none"}>
                <button type="button" onClick={() => (order.value = [name, sorted === name && way > 0 ? -1 : 1])}>
                  {title(name)}
                </button>
              </span>
            ))}
          </div>
          {rows.slice(from, to).map((at, index) => {
            const trace = state.at.get(points.point[at]!)?.[0];
            const text = (points.minimal[at] ? "★ " : "") + points.text[at]!;
            return (
              <div key={at} class="x-line" role="row" aria-rowindex={from + index + 2} style={{ top: `${(from + index + 1) * LINE}px`, gridTemplateColumns: widths }}>
                <span role="rowheader">{points.point[at]}</span>
                <span role="gridcell" class={STYLES[points.verdict[at]!] ?? "x-odd"} title={points.message[at] ?? text}>
                  {trace === undefined ? (
                    text
                  ) : (
                    <button type="button" onClick={() => state.show(trace)}>
                      {text}
                    </button>
                  )}
                </span>
                {sentences.map((each) => (
                  <span key={each} role="gridcell">
                    {shareText(state.shares.value.get(each)![at]!)}
                  </span>
                ))}
                {varying.map((each) => {
                  const value = each.values[points.values[each.column]![at]!];
                  return (
                    <span key={each.name} role="gridcell" title={value}>
                      {value}
                    </span>
                  );
                })}
                {numbers.map((name) => (
                  <span key={name} role="gridcell" class="x-n">
                    {points.least[at] && ["generated", "distinct", "depth"].includes(name) ? "≥ " : ""}
                    {shown(name, points.numbers[name]![at]!)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
