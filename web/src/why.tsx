// For each property, when it is violated.
import { batch } from "@preact/signals";
import type { Conjunct, Law } from "./data";
import { plural } from "./text";
import type { State } from "./state";

export function Why({ state }: { state: State }) {
  const { laws, kinds, traces } = state.store.overview;
  const violated = laws.filter((each) => each.violated > 0);
  const held = laws.filter((each) => each.asked.length > 0 && each.violated === 0);
  return (
    <section id="x-why" aria-labelledby="x-why-title">
      <h2 id="x-why-title">Why</h2>
      {violated.length === 0 && <p>No point violates anything.</p>}
      <ul class="x-laws">
        {violated.map((law) => {
          const own = kinds.coarse.filter((each) => each.name === law.property && fits(law, each.module));
          const count = traces.filter((each) => each.name === law.property).length;
          return (
            <li key={law.title} class={state.property.value === law.property ? "x-on" : ""}>
              <button
                type="button"
                class="x-name"
                aria-pressed={state.property.value === law.property}
                onClick={() => choose(state, law)}
              >
                {law.title}
              </button>
              <span class="x-law">
                <LawText law={law} state={state} />
              </span>
              <span class="x-dim">
                {law.support}
                {count > 0 && `; ${plural(own.length, "kind")}`}
              </span>
              {law.rivals.map((rival) => (
                <span key={rival} class="x-rival x-dim">
                  or iff <code>{rival}</code>
                </span>
              ))}
            </li>
          );
        })}
      </ul>
      {held.length > 0 && <p class="x-dim">Never violated: {held.map((each) => each.title).join(", ")}</p>}
    </section>
  );
}

const fits = (law: Law, module: string) => law.scope === null || module === "" || law.scope === module;

function choose(state: State, law: Law): void {
  batch(() => {
    const again = state.property.peek() === law.property;
    state.property.value = again ? "" : law.property;
    const first = state.kinds.peek()[0]?.members[0];
    if (!again && first !== undefined) state.open(first);
  });
}

function LawText({ law, state }: { law: Law; state: State }) {
  if (!law.terms.some((term) => term.length > 0)) return <>{law.law}</>;
  const many = law.terms.length > 1;
  return (
    <>
      {law.breaks} iff{" "}
      {law.terms.map((term, at) => (
        <span key={at}>
          {at > 0 && " \\/ "}
          {many && term.length > 1 && "("}
          {term.map((conjunct, place) => (
            <span key={conjunct.text}>
              {place > 0 && " /\\ "}
              <button
                type="button"
                class="x-conjunct"
                title="show its parameters on the map"
                onClick={() => setAxes(state, conjunct, term)}
              >
                {conjunct.text}
              </button>
            </span>
          ))}
          {many && term.length > 1 && ")"}
        </span>
      ))}
    </>
  );
}

/** The conjunct's parameters become the axes; with one, the next of the law or the one that is there stays. */
function setAxes(state: State, conjunct: Conjunct, term: Conjunct[]): void {
  const [first, second] = conjunct.parameters;
  if (first === undefined) return;
  const others = [...term.flatMap((each) => each.parameters), state.across.peek(), state.down.peek()];
  batch(() => {
    state.down.value = second ?? others.find((each) => each && each !== first) ?? "";
    state.across.value = first;
    if ([state.across.value, state.down.value].includes(state.facet.peek())) state.facet.value = "";
  });
}
