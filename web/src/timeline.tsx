// The values of variables and their parts over the steps. A cell shows a value where it changed.
import { useEffect } from "preact/hooks";
import { type Nodes, pathText, type Trace } from "./data";
import { loopMark } from "./bench";
import { type Evaluated, pathKey, pathOf, type State } from "./state";
import { reveal, span, useSeen } from "./window";

const LINE = 26;
const COLUMN = 96;
const NAMES = 190;

interface Row {
  path: readonly string[];
  depth: number;
  open: boolean | null;
  pinned: boolean;
}

/** The rows that are shown: pins first, then the variables with what is opened below them. */
function visible(state: State, trace: Trace): Row[] {
  const hidden = new Set(state.hidden.value);
  const opened = state.opened.value;
  const rows: Row[] = [];
  for (const key of state.pins.value) {
    const path = pathOf(key);
    if (trace.steps.variables.includes(path[0]!)) rows.push({ path, depth: 0, open: null, pinned: true });
  }
  const add = (path: readonly string[], depth: number) => {
    const key = pathKey(path);
    if (hidden.has(key)) return;
    const below = trace.below(path);
    const open = below.length ? opened.has(key) : null;
    rows.push({ path, depth, open, pinned: false });
    if (open) for (const each of below) add(each, depth + 1);
  };
  for (const name of trace.steps.variables) add([name], 0);
  return rows;
}

export function Timeline({ state, trace }: { state: State; trace: Trace }) {
  const [ref, seen] = useSeen<HTMLDivElement>();
  const step = state.step.value;
  useEffect(() => reveal(ref.current, "left", step * COLUMN, COLUMN + NAMES), [step]);
  const told = state.rows.value.get(trace.number) ?? [];
  const rows: (Row | Evaluated)[] = [...told, ...visible(state, trace)];
  const [top, bottom] = span(rows.length, LINE, seen.top, seen.height);
  const [left, right] = span(trace.length, COLUMN, seen.left, seen.width - NAMES, 2);
  const columns = Array.from({ length: Math.max(0, right - left) }, (_, at) => left + at);
  const hidden = state.hidden.value;
  return (
    <div class="x-pane x-timeline">
      <h4 id="x-timeline-title">Timeline</h4>
      <div ref={ref} class="x-scroll" role="grid" aria-labelledby="x-timeline-title" aria-rowcount={rows.length + 1} aria-colcount={trace.length + 1} tabIndex={0}>
        <div class="x-all" role="rowgroup" style={{ height: `${(rows.length + 1) * LINE}px`, width: `${NAMES + trace.length * COLUMN}px` }}>
          <div class="x-line x-top" role="row" aria-rowindex={1}>
            <span class="x-name-cell" role="columnheader" style={{ width: `${NAMES}px` }}>
              state
            </span>
            {columns.map((at) => (
              <span
                key={at}
                role="columnheader"
                class={`x-cell${at === step ? " x-on" : ""}`}
                style={{ left: `${NAMES + at * COLUMN}px`, width: `${COLUMN}px` }}
                title={`${at + 1}. ${trace.action(at)}`}
                onClick={() => state.goto(at)}
              >
                {loopMark(trace, at)} {at + 1} {trace.name(at)}
              </span>
            ))}
          </div>
          {rows.slice(top, bottom).map((row, index) =>
            "path" in row ? (
              <Line key={(row.pinned ? "pin" : "") + pathKey(row.path)} state={state} trace={trace} row={row} at={top + index} columns={columns} />
            ) : (
              <Told key={row.place + row.text} state={state} row={row} at={top + index} columns={columns} />
            ),
          )}
        </div>
      </div>
      {hidden.length > 0 && (
        <p class="x-tools">
          hidden:{" "}
          {hidden.map((key) => (
            <button type="button" key={key} onClick={() => state.hide(pathOf(key))}>
              {pathText(pathOf(key))}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function Line({ state, trace, row, at, columns }: { state: State; trace: Trace; row: Row; at: number; columns: number[] }) {
  const step = state.step.value;
  const values = trace.at(row.path);
  const followed = state.path.value !== null && pathKey(state.path.value) === pathKey(row.path);
  const name = row.pinned ? pathText(row.path) : row.path.at(-1)!;
  return (
    <div
      class={`x-line${row.pinned ? " x-pinned" : ""}${followed ? " x-followed" : ""}`}
      role="row"
      aria-rowindex={at + 2}
      style={{ top: `${(at + 1) * LINE}px` }}
    >
      <span class="x-name-cell" role="rowheader" style={{ width: `${NAMES}px`, paddingInlineStart: `${4 + row.depth * 12}px` }}>
        {row.open !== null && (
          <button type="button" aria-expanded={row.open} aria-label={`parts of ${pathText(row.path)}`} onClick={() => state.toggle(row.path)}>
            {row.open ? "▾" : "▸"}
          </button>
        )}
        <button type="button" class="x-path" title={`who wrote ${pathText(row.path)}`} onClick={() => (state.path.value = row.path)}>
          {name}
        </button>
        <span class="x-row-tools">
          <button type="button" aria-label={`${row.pinned ? "unpin" : "pin"} ${pathText(row.path)}`} title={row.pinned ? "unpin" : "pin"} onClick={() => state.pin(row.path)}>
            {row.pinned ? "★" : "☆"}
          </button>
          {row.depth === 0 && !row.pinned && (
            <button type="button" aria-label={`hide ${pathText(row.path)}`} title="hide" onClick={() => state.hide(row.path)}>
              ×
            </button>
          )}
        </span>
      </span>
      {columns.map((column) => {
        const node = values[column]!;
        const changed = column === 0 || node !== values[column - 1];
        return (
          <span
            key={column}
            role="gridcell"
            class={`x-cell${changed ? " x-changed" : ""}${column === step ? " x-on" : ""}`}
            style={{ left: `${NAMES + column * COLUMN}px`, width: `${COLUMN}px` }}
            title={changed ? trace.nodes.text(node) : ""}
            onClick={() => {
              state.goto(column);
              state.path.value = row.path;
            }}
          >
            {changed ? said(trace, row, column, node) : ""}
          </span>
        );
      })}
    </div>
  );
}

/** An expression that TLC evaluated, or a conjunct, TRUE or FALSE. */
function Told({ state, row, at, columns }: { state: State; row: Evaluated; at: number; columns: number[] }) {
  const step = state.step.value;
  return (
    <div class="x-line x-told" role="row" aria-rowindex={at + 2} style={{ top: `${(at + 1) * LINE}px` }}>
      <span class="x-name-cell" role="rowheader" style={{ width: `${NAMES}px`, paddingInlineStart: `${4 + (row.depth ?? 0) * 12}px` }} title={`${row.text}\n${row.place}`}>
        <code class="x-path">{row.text}</code>
      </span>
      {columns.map((column) => {
        const text = row.values[column] ?? "";
        const changed = column === 0 || text !== row.values[column - 1];
        const style = text === "FALSE" ? " x-false" : text === "TRUE" ? " x-true" : changed ? " x-changed" : "";
        return (
          <span
            key={column}
            role="gridcell"
            class={`x-cell${style}${column === step ? " x-on" : ""}`}
            style={{ left: `${NAMES + column * COLUMN}px`, width: `${COLUMN}px` }}
            title={text}
            onClick={() => state.goto(column)}
          >
            {changed ? text : ""}
          </span>
        );
      })}
    </div>
  );
}

/** A value; of one that changed, what was removed, what was added, and the parts with other values. */
function said(trace: Trace, row: Row, column: number, node: number): string {
  const before = column > 0 ? trace.at(row.path)[column - 1]! : -1;
  return (before < 0 ? trace.nodes.text(node) : difference(trace.nodes, before, node)).slice(0, 200);
}

function difference(nodes: Nodes, before: number, now: number): string {
  const [had, has] = [nodes.elements(before), nodes.elements(now)];
  if (had && has) {
    const [gained, lost] = [has.filter((each) => !had.includes(each)), had.filter((each) => !has.includes(each))];
    if (gained.length + lost.length < has.length)
      return [...lost.map((each) => `− ${nodes.text(each)}`), ...gained.map((each) => `+ ${nodes.text(each)}`)].join(" ");
    return nodes.text(now);
  }
  const [old, parts] = [new Map(nodes.children(before).map((each) => [each.step, each.node])), nodes.children(now)];
  const kept = parts.filter((each) => old.get(each.step) === each.node);
  if (!kept.length) return nodes.text(now);
  const steps = new Set(parts.map((each) => each.step));
  const changed = parts.flatMap(({ step, node }) => {
    const was = old.get(step);
    if (was === node) return [];
    if (was === undefined) return [`${step}: + ${nodes.text(node)}`];
    const inside = difference(nodes, was, node);
    return [/^[[.]/.test(inside) && nodes.children(node).length && inside !== nodes.text(node) ? step + inside : `${step}: ${inside}`];
  });
  const gone = [...old.keys()].filter((each) => !steps.has(each)).map((each) => `− ${each}`);
  return [...gone, ...changed].join(", ");
}
