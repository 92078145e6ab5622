// A counterexample beside another, or beside the nearest points that hold.
import { useSignal } from "@preact/signals";
import type { Trace } from "./data";
import type { State } from "./state";
import { runs } from "./text";

interface Pair {
  left: number | null;
  right: number | null;
}

export function Compare({ state }: { state: State }) {
  const trace = state.trace.value;
  if (!trace) return null;
  const { store } = state;
  const point = trace.row.points[0]!;
  const there = store.overview.other;
  const samePoint = there?.points[String(point)];
  const same = store.same(point);
  const other = state.otherTrace.value;
  const own = state.kinds.value.find((each) => each.members.includes(trace.number));
  const inKind = own?.members.filter((each) => each !== trace.number).slice(0, 200) ?? [];
  const shortest = state.kinds.value.filter((each) => each !== own).map((each) => each.members[0]!);
  const nearest = state.store.overview.nearest[String(trace.number)] ?? [];
  const option = (number: number) => (
    <option key={number} value={number}>
      {store.row(number)!.name}, point {runs(store.row(number)!.points)}, {store.row(number)!.length} states
    </option>
  );
  return (
    <section id="x-compare" aria-labelledby="x-compare-title">
      <h2 id="x-compare-title">Compare</h2>
      {nearest.length > 0 && (
        <p>
          The nearest {nearest.length === 1 ? "point" : "points"} where {trace.row.name} holds:{" "}
          {nearest.map((each, at) => (
            <span key={each.point}>
              {at > 0 && " "}
              <strong>{each.point}</strong>
              {`: ${each.differs.map(([name, there, here]) => `${name} = ${there} instead of ${here}`).join(", ")}`}
              {store.asks && <Replay key={trace.number} state={state} trace={trace} point={each.point} />}
            </span>
          ))}
        </p>
      )}
      {there && (
        <p>
          The same point of {there.name}:{" "}
          {samePoint ? (
            <>
              <strong>{samePoint.point}</strong>: {samePoint.text}
              {store.asks && <Replay key={trace.number} state={state} trace={trace} point={samePoint.point} other />}
            </>
          ) : (
            "it has none with equal parameters"
          )}
        </p>
      )}
      <p class="x-tools">
        <label>
          with{" "}
          <select
            value={state.other.value ?? ""}
            onChange={(event) => (state.other.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
          >
            <option value="">nothing</option>
            {inKind.length > 0 && <optgroup label="of the same kind">{inKind.map(option)}</optgroup>}
            {same.length > 0 && <optgroup label={`the same point of ${there!.name}`}>{same.map(option)}</optgroup>}
            {shortest.length > 0 && <optgroup label="the shortest of another kind">{shortest.map(option)}</optgroup>}
          </select>
        </label>
      </p>
      {other && other.number === state.other.value && <Beside state={state} one={trace} other={other} />}
    </section>
  );
}

interface ReplayAnswer {
  state: number | null;
  action: string | null;
  conjunct: string | null;
  constraint: string | null;
  place: string | null;
  reason?: string;
}

/** How far another point follows the counterexample, and what forbids the next step. */
function Replay({ state, trace, point, other = false }: { state: State; trace: Trace; point: number; other?: boolean }) {
  const said = useSignal("");
  const ask = async () => {
    said.value = "asking TLC";
    try {
      const found = await state.store.ask<ReplayAnswer>({ ask: "replay", number: trace.number, point, other });
      said.value = replayText(found, !other || !violated(state, trace));
      if (found.state !== null && state.number.peek() === trace.number) state.goto(found.state - 1);
    } catch (error) {
      said.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <>
      {" "}
      <button type="button" onClick={() => void ask()}>
        replay there
      </button>{" "}
      <span role="status">{said.value}</span>
    </>
  );
}

/** Whether the same point of the other store violates the same. */
const violated = ({ store }: State, { row }: Trace) => store.same(row.points[0]!).some((each) => store.row(each)!.name === row.name);

function replayText({ state, action, conjunct, constraint, place, reason }: ReplayAnswer, holds: boolean): string {
  if (state === null) return `every step is possible there${holds ? "; the property holds all the same" : ""}.`;
  if (constraint) return `state ${state} is outside of ${constraint} there, so TLC does not go on from it.`;
  if (state === 1) return "the first state is not an initial state there.";
  const why = conjunct ? `: ${conjunct} is FALSE (${place})` : reason ? `: ${reason}` : "";
  return `step ${state}, ${action}, is not possible there${why}.`;
}

function Beside({ state, one, other }: { state: State; one: Trace; other: Trace }) {
  const pairs = aligned(one, other);
  const first = pairs.findIndex((each) => each.left === null || each.right === null || differs(one, each.left, other, each.right));
  return (
    <div class="x-wide" tabIndex={0} role="region" aria-label="Both counterexamples">
      <table class="x-beside">
        <caption>{first < 0 ? "They take the same steps." : `They differ from step ${label(pairs[first]!)} on.`}</caption>
        <thead>
          <tr>
            <th scope="col">point {runs(one.row.points)}</th>
            <th scope="col">
              point {runs(other.row.points)}
              {state.store.isOther(other.number) && ` of ${state.store.overview.other!.name}`}
            </th>
          </tr>
        </thead>
        <tbody>
          {pairs.slice(0, 500).map((pair, at) => (
            <tr key={at} class={at === first ? "x-first" : pair.left === null || pair.right === null ? "x-only" : ""}>
              <Side state={state} trace={one} at={pair.left} follow />
              <Side state={state} trace={other} at={pair.right} follow={false} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const label = (pair: Pair) => (pair.left ?? pair.right ?? 0) + 1;

function Side({ state, trace, at, follow }: { state: State; trace: Trace; at: number | null; follow: boolean }) {
  if (at === null) return <td class="x-none" />;
  const changes = trace.steps.changes[at]!.slice(0, 8);
  return (
    <td>
      {state.store.isOther(trace.number) ? (
        `${at + 1} ${trace.action(at)}`
      ) : (
        <button type="button" onClick={() => (follow ? state.goto(at) : state.open(trace.number, at))}>
          {at + 1} {trace.action(at)}
        </button>
      )}
      {changes.map(([path, before, after], each) => (
        <div key={each}>
          <code>{trace.nodes.text(path)}</code> {trace.nodes.text(before) && <del>{trace.nodes.text(before)}</del>}{" "}
          {trace.nodes.text(after) && <ins>{trace.nodes.text(after)}</ins>}
        </div>
      ))}
    </td>
  );
}

function differs(one: Trace, left: number, other: Trace, right: number): boolean {
  const text = (trace: Trace, at: number) =>
    trace.steps.changes[at]!.map((change) => change.map((each) => trace.nodes.text(each)).join(" ")).join("\n");
  return one.action(left) !== other.action(right) || text(one, left) !== text(other, right);
}

/** The steps of two counterexamples, those with the same action beside each other as far as possible. */
function aligned(one: Trace, other: Trace): Pair[] {
  const [rows, columns] = [one.length, other.length];
  const best = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      best[row]![column] =
        one.name(row) === other.name(column)
          ? best[row + 1]![column + 1]! + 1
          : Math.max(best[row + 1]![column]!, best[row]![column + 1]!);
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  while (left < rows || right < columns) {
    if (left < rows && right < columns && one.name(left) === other.name(right)) pairs.push({ left: left++, right: right++ });
    else if (right >= columns || (left < rows && best[left + 1]![right]! >= best[left]![right + 1]!)) pairs.push({ left: left++, right: null });
    else pairs.push({ left: null, right: right++ });
  }
  return pairs;
}
