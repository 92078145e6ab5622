// The kinds of counterexamples.
import type { Kind } from "./data";
import type { State } from "./state";
import { lengths, plural, runs } from "./text";

const MOST_MEMBERS = 60;
const ENDINGS: Record<string, string> = { lasso: "in a loop", stuttering: "then stuttering", "cut off": "log cut off" };

export function Kinds({ state }: { state: State }) {
  const { traces } = state.store.overview;
  if (traces.length === 0) return null;
  const shown = state.kinds.value;
  const total = shown.reduce((sum, each) => sum + each.members.length, 0);
  return (
    <section id="x-kinds" aria-labelledby="x-kinds-title">
      <h2 id="x-kinds-title">Kinds</h2>
      <p class="x-tools">
        <span role="status">
          {plural(total, "counterexample")}
          {total < traces.length ? ` of ${traces.length}` : ""}, {plural(shown.length, "kind")}
        </span>
        <label>
          <input type="checkbox" checked={state.fine.value} onChange={(event) => (state.fine.value = event.currentTarget.checked)} />{" "}
          fine: one kind for each sequence of actions
        </label>
      </p>
      <ol class="x-kinds">
        {shown.map(({ kind, at, members }) => (
          <Row key={`${state.fine.value}${at}`} state={state} kind={kind} members={members} />
        ))}
      </ol>
    </section>
  );
}

function Row({ state, kind, members }: { state: State; kind: Kind; members: number[] }) {
  const { traces } = state.store.overview;
  const found = members.map((each) => traces[each]!.length);
  const points = [...new Set(members.flatMap((each) => traces[each]!.points))];
  const open = members.includes(state.number.value ?? -1);
  return (
    <li class={open ? "x-on" : ""}>
      <button type="button" class="x-name" aria-pressed={open} onClick={() => state.show(members[0]!)}>
        {kind.name}
      </button>{" "}
      <span>
        {members.length === kind.members.length ? "" : `${members.length} of `}
        {plural(kind.members.length, "counterexample")} of {lengths(Math.min(...found), Math.max(...found))}, {plural(points.length, "point")}
      </span>
      <span class="x-chips">
        {kind.backbone.map((name, at) => (
          <span key={at} class="x-chip">
            {name}
            {kind.repeated.includes(name) && <sup title="some repeat it">+</sup>}
          </span>
        ))}
        {ENDINGS[kind.ending] && <span class="x-chip x-end">{ENDINGS[kind.ending]}</span>}
      </span>
      {kind.only.length > 0 && (
        <span class="x-dim">
          only here: <strong>{kind.only.join(", ")}</strong>
        </span>
      )}
      {kind.varies.length > 0 && <span class="x-dim">some with {kind.varies.join(", ")}</span>}
      {open && members.length > 1 && (
        <span class="x-members">
          {members.slice(0, MOST_MEMBERS).map((each) => (
            <button
              type="button"
              key={each}
              aria-pressed={state.number.value === each}
              title={`${plural(traces[each]!.length, "state")}, point ${runs(traces[each]!.points)}`}
              onClick={() => state.open(each)}
            >
              {traces[each]!.points[0]}
              {traces[each]!.trace > 1 ? `/${traces[each]!.trace}` : ""}
            </button>
          ))}
          {members.length > MOST_MEMBERS && <span class="x-dim">and {members.length - MOST_MEMBERS} more: use ]</span>}
        </span>
      )}
    </li>
  );
}
