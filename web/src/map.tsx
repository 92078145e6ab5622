// The points over two parameters. Brushing selects points.
import { batch, useComputed, useSignal } from "@preact/signals";
import { type Law, NOT_RUN } from "./data";
import type { State } from "./state";
import { TITLES, plural, runs, shareText, shown } from "./text";

interface Cell {
  /** Places of points. */
  places: number[];
}

const MOST_CELLS = 2500;

export function Map_({ state }: { state: State }) {
  const { parameters } = state.store.overview;
  const varying = parameters.filter((each) => each.values.length > 1 && each.kind !== "log");
  if (varying.length === 0) return null;
  const names = varying.map((each) => each.name);
  const facets = state.facet.value ? (parameters.find((each) => each.name === state.facet.value)?.values ?? [""]) : [""];
  const choose = (target: typeof state.across, name: string) =>
    batch(() => {
      for (const each of [state.across, state.down, state.facet]) if (each.peek() === name && name) each.value = target.peek();
      target.value = name;
    });
  const select = (label: string, target: typeof state.across, none: boolean) => (
    <label>
      {label}{" "}
      <select value={target.value} onChange={(event) => choose(target, event.currentTarget.value)}>
        {none && <option value="">none</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <section id="x-map" aria-labelledby="x-map-title">
      <h2 id="x-map-title">Map</h2>
      <form class="x-tools" aria-label="Axes of the map" onSubmit={(event) => event.preventDefault()}>
        {select("across", state.across, false)}
        {names.length > 1 && select("down", state.down, true)}
        {names.length > 2 && select("for each", state.facet, true)}
        <label>
          showing{" "}
          <select value={state.value.value} onChange={(event) => (state.value.value = event.currentTarget.value)}>
            {["verdict", ...Object.keys(state.store.overview.points.numbers), ...state.sentences.value].map((name) => (
              <option key={name} value={name}>
                {TITLES[name] ?? name}
              </option>
            ))}
          </select>
        </label>
        {state.chosen.value && (
          <button type="button" onClick={() => (state.chosen.value = null)}>
            all points
          </button>
        )}
      </form>
      <div class="x-facets">
        {facets.map((facet) => (
          <Facet key={facet} state={state} facet={facet} />
        ))}
      </div>
      <p class="x-dim" role="status">
        {state.chosen.value ? `${plural(state.chosen.value.size, "point")} selected` : "Drag over cells to select points."}
        {state.store.overview.points.verdict.includes(NOT_RUN) && " ○ not run, coloured as the laws predict; ◆ run to refute a law."}
      </p>
    </section>
  );
}

function Facet({ state, facet }: { state: State; facet: string }) {
  const { parameters, points } = state.store.overview;
  const place = (name: string) => parameters.findIndex((each) => each.name === name);
  const [across, down, by] = [state.across.value, state.down.value, state.facet.value].map(place) as [number, number, number];
  const columns = parameters[across]?.values ?? [""];
  const rows = parameters[down]?.values ?? [""];
  const brush = useSignal<[number, number, number, number] | null>(null);
  const focus = useSignal<[number, number]>([0, 0]);
  const shown_ = useComputed(() => new Set(state.points.value));
  const cells: Cell[][] = rows.map(() => columns.map(() => ({ places: [] })));
  points.point.forEach((_, at) => {
    if (by >= 0 && parameters[by]!.values[points.values[by]![at]!] !== facet) return;
    const row = down >= 0 ? points.values[down]![at]! : 0;
    const column = across >= 0 ? points.values[across]![at]! : 0;
    cells[row]![column]!.places.push(at);
  });
  if (rows.length * columns.length > MOST_CELLS) return <p>These parameters have too many values for a map.</p>;

  const inside = (row: number, column: number) => {
    const area = brush.value;
    if (!area) return false;
    const [top, left, bottom, right] = area;
    return (
      row >= Math.min(top, bottom) && row <= Math.max(top, bottom) && column >= Math.min(left, right) && column <= Math.max(left, right)
    );
  };
  const finish = (more: boolean) => {
    if (!brush.peek()) return;
    const found = new Set(more ? state.chosen.peek() : []);
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        if (inside(row, column)) for (const at of cell.places) found.add(points.point[at]!);
      }),
    );
    batch(() => {
      const same = state.chosen.peek()?.size === found.size && [...found].every((each) => state.chosen.peek()!.has(each));
      state.chosen.value = found.size === 0 || same ? null : found;
      brush.value = null;
      const first = state.traces.peek()[0];
      if (first !== undefined && !state.traces.peek().includes(state.number.peek() ?? -1)) state.open(first);
    });
  };
  const move = (event: KeyboardEvent, row: number, column: number) => {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      const next: [number, number] = [
        Math.max(0, Math.min(rows.length - 1, row + step[0])),
        Math.max(0, Math.min(columns.length - 1, column + step[1])),
      ];
      focus.value = next;
      if (event.shiftKey) brush.value = [brush.peek()?.[0] ?? row, brush.peek()?.[1] ?? column, ...next];
      const table = (event.currentTarget as HTMLElement).closest("table")!;
      (table.rows[next[0] + 1]!.cells[next[1] + 1] as HTMLElement).focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      brush.value ??= [row, column, row, column];
      finish(event.ctrlKey || event.metaKey);
    }
  };
  return (
    <div class="x-wide">
      <table class="x-map" role="grid" aria-label={facet || "map"} onPointerLeave={() => (brush.value = null)}>
        {facet && (
          <caption>
            {state.facet.value} = {facet}
          </caption>
        )}
        <thead>
          <tr>
            <th scope="col">
              <span class="x-dim">
                {state.down.value} {state.down.value && "\\"} {state.across.value}
              </span>
            </th>
            {columns.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((text, row) => (
            <tr key={text}>
              <th scope="row">{text}</th>
              {columns.map((label, column) => {
                const cell = describe(state, cells[row]![column]!.places, shown_.value);
                const first = focus.value[0] === row && focus.value[1] === column;
                return (
                  <td
                    key={label}
                    tabIndex={first ? 0 : -1}
                    class={`${cell.style}${inside(row, column) ? " x-brushed" : ""}`}
                    style={cell.background ? { backgroundColor: cell.background } : {}}
                    title={cell.title}
                    aria-label={cell.title}
                    onPointerDown={(event) => {
                      event.currentTarget.releasePointerCapture?.(event.pointerId);
                      brush.value = [row, column, row, column];
                    }}
                    onPointerEnter={(event) => {
                      const area = brush.peek();
                      if (area && event.buttons) brush.value = [area[0], area[1], row, column];
                    }}
                    onPointerUp={(event) => finish(event.ctrlKey || event.metaKey || event.shiftKey)}
                    onKeyDown={(event) => move(event, row, column)}
                    onFocus={() => (focus.value = [row, column])}
                  >
                    {cell.text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Described {
  text: string;
  title: string;
  style: string;
  background?: string;
}

const BAD = "var(--x-bad-rgb)";

const points_ = (places: readonly number[]) => (places.length === 1 ? "point" : "points");

/** What a cell shows: the share of its points that violate, or the largest number. */
function describe(state: State, all: number[], passing: ReadonlySet<number>): Described {
  const { points } = state.store.overview;
  const places = all.filter((at) => passing.has(at));
  if (all.length === 0) return { text: "", title: "no point", style: "x-none" };
  if (places.length === 0) return { text: "", title: `points ${runs(all.map((at) => points.point[at]!))}, not selected`, style: "x-out" };
  const column = state.value.value;
  const numbers = runs(places.map((at) => points.point[at]!));
  const shares = state.shares.value.get(column);
  if (shares) {
    const share = places.reduce<[number, number]>(([some, all], at) => [some + shares[at]![0], all + shares[at]![1]], [0, 0]);
    const title = `${points_(places)} ${numbers}, ${column}: ${shareText(share)}`;
    if (share[1] === 0) return { text: "", title, style: "x-none" };
    return { text: shareText(share), title, style: "x-number", background: `rgb(var(--x-blue-rgb) / ${((0.45 * share[0]) / share[1]).toFixed(2)})` };
  }
  if (points.numbers[column]) {
    const known = places.map((at) => points.numbers[column]![at]!).filter((each) => each !== null);
    if (known.length === 0) return { text: "", title: `${points_(places)} ${numbers}: not known`, style: "x-none" };
    const most = Math.max(...known);
    const largest = Math.max(...points.numbers[column]!.map((each) => each ?? 0));
    const shade = largest > 0 ? Math.log1p(most) / Math.log1p(largest) : 0;
    const text = (places.some((at) => points.least[at]) ? "≥ " : "") + shown(column, most);
    return { text, title: `${points_(places)} ${numbers}: ${text}`, style: "x-number", background: `rgb(var(--x-blue-rgb) / ${(0.05 + 0.4 * shade).toFixed(2)})` };
  }
  const property = state.property.value;
  const violates = (at: number) => points.violated[at]!.some(([name]) => !property || name === property);
  const ran = places.filter((at) => points.verdict[at] !== NOT_RUN);
  const judged = ran.filter((at) => points.verdict[at] !== "excluded");
  const bad = judged.filter(violates);
  const star = places.some((at) => points.minimal[at] && violates(at)) ? "★" : "";
  const refuting = places.some((at) => points.chosen[at] === "refute") ? "◆" : "";
  const texts = [...new Set(places.map((at) => points.text[at]!))];
  const law = prediction(state, places);
  const title = [`${points_(places)} ${numbers}: ${texts.slice(0, 4).join("; ")}${texts.length > 4 ? "; …" : ""}`, law].filter(Boolean).join("\n");
  if (ran.length === 0) {
    const told = places.flatMap((at) => (points.would[at] ? [points.would[at]] : []));
    if (told.length === 0) return { text: "○", title, style: "x-none" };
    const would = told.some((names) => names.some((name) => !property || name === property));
    return { text: "○", title, style: would ? "x-unrun" : "x-unrun x-good", ...(would ? { background: `rgb(${BAD} / .12)` } : {}) };
  }
  if (bad.length === 0) {
    const odd = places.find((at) => ["broken", "inconclusive"].includes(points.verdict[at]!));
    if (odd !== undefined) return { text: "?", title, style: "x-odd" };
    return { text: refuting, title, style: judged.length ? "x-good" : "x-none" };
  }
  const share = bad.length / judged.length;
  const text = share < 1 ? `${bad.length} of ${judged.length}` : bad.length > 1 ? `${bad.length}` : "";
  return { text: [star, refuting, text].filter(Boolean).join(" "), title, style: "x-bad", background: `rgb(${BAD} / ${(0.12 + 0.6 * share).toFixed(2)})` };
}

/** The law's prediction beside the verdict. */
function prediction(state: State, places: number[]): string {
  const { points, laws } = state.store.overview;
  const property = state.property.value;
  const lines: string[] = [];
  for (const law of laws) {
    if (!law.violated || (property && law.property !== property)) continue;
    const found = places.map((at) => predicted(law, points.point[at]!)).filter((each) => each !== null);
    if (!found.length) continue;
    const yes = found.filter(Boolean).length;
    const says = yes === 0 ? "holds" : yes === found.length ? "violated" : `violated at ${yes} of ${found.length}`;
    const wrong = places.filter((at) => law.exceptions.includes(points.point[at]!)).length;
    lines.push(`law of ${law.title}: ${says}${wrong ? `, wrong at ${wrong}` : ""}`);
  }
  return lines.join("\n");
}

function predicted(law: Law, point: number): boolean | null {
  const at = law.asked.indexOf(point);
  return at < 0 ? null : law.predicted[at]!;
}
