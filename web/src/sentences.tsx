// Sentences that filter points and counterexamples.
import { useSignal } from "@preact/signals";
import type { State } from "./state";

export function Sentences({ state }: { state: State }) {
  const text = useSignal("");
  const { overview } = state.store;
  const actions = [...new Set(overview.traces.flatMap((each) => each.actions))].sort();
  const add = () => {
    const sentence = text.peek().trim();
    if (sentence && !state.sentences.peek().includes(sentence)) state.sentences.value = [...state.sentences.peek(), sentence];
    text.value = "";
  };
  const suggestions = [
    ...actions.map((each) => `${each} occurs`),
    ...overview.parameters.filter((each) => each.values.length > 1).flatMap((each) => each.values.slice(0, 12).map((value) => `${each.name} = ${value}`)),
  ];
  return (
    <section id="x-filter" aria-label="Filter">
      <form
        class="x-tools"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label>
          Filter{" "}
          <input
            id="x-search"
            type="search"
            list={state.id("x-suggestions")}
            autocomplete="off"
            placeholder={`${actions[0] ?? "Send"} occurs`}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <datalist id={state.id("x-suggestions")}>
          {suggestions.slice(0, 200).map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <button type="submit">add</button>
        <span class="x-dim">
          <code>A occurs</code>, <code>A before B</code>, <code>hw falls</code>, <code>Limit = 3</code>, or words
        </span>
      </form>
      {state.sentences.value.length > 0 && (
        <ul class="x-sentences">
          {state.sentences.value.map((sentence) => (
            <li key={sentence}>
              <code>{sentence}</code> <Answer state={state} sentence={sentence} />{" "}
              <label>
                <input type="checkbox" checked={!state.idle.value.includes(sentence)} onChange={() => state.toggleFilter(sentence)} /> filters
              </label>{" "}
              <button
                type="button"
                aria-label={`remove ${sentence}`}
                onClick={() => state.forget(sentence)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Answer({ state, sentence }: { state: State; sentence: string }) {
  const filter = state.filters.value.find((each) => each.text === sentence);
  const found = state.answers.value.get(sentence);
  if (filter?.error) return <span role="status" class="x-wrong">{filter.error}</span>;
  if (!filter?.trace) {
    const shares = state.shares.value.get(sentence) ?? [];
    return <span role="status">{`${shares.filter(([some]) => some > 0).length} of ${shares.length} points`}</span>;
  }
  if (!found) return <span role="status">…</span>;
  const counts = [...found.counts].map(([name, [some, all]]) => `${some} of ${all} ${name}`).join(", ") || "no counterexample";
  return <span role="status">{[counts, found.note].filter(Boolean).join("; ")}</span>;
}
