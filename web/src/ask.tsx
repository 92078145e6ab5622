// What TLC answers about a counterexample: expressions, conjuncts, successors, arguments, confirmation.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Trace } from "./data";
import { type State, traceKey } from "./state";

interface ConjunctsAnswer {
  rows: { conjunct: string; depth: number; place: string; values: (boolean | null)[] }[];
}

export interface SuccessorsAnswer {
  steps: { action: string; changes: string[] }[];
  disabled: string[];
}

/** What a step changes, a line for each part. */
export function Changes({ texts }: { texts: readonly string[] }) {
  return texts.map((text, line) => (
    <div key={line}>
      <code>{text}</code>
    </div>
  ));
}

export function Ask({ state, trace }: { state: State; trace: Trace }) {
  const busy = useSignal("");
  const said = useSignal("");
  const expression = useSignal("");
  const successors = useSignal<(SuccessorsAnswer & { step: number }) | null>(null);
  const { number } = trace;
  const asking = async (what: string, act: () => Promise<void>) => {
    if (busy.peek()) return;
    busy.value = what;
    said.value = "";
    try {
      await act();
    } catch (error) {
      said.value = error instanceof Error ? error.message : String(error);
    } finally {
      busy.value = "";
    }
  };
  const value = async (text: string) => {
    const { values } = await state.store.ask<{ values: string[] }>({ ask: "values", number, expression: text });
    state.addRow(number, { text, values, place: "" });
  };
  const evaluate = () =>
    asking("evaluating", async () => {
      const text = expression.peek().trim();
      if (!text) return;
      await value(text);
      if (!state.expressions.peek().includes(text)) state.expressions.value = [...state.expressions.peek(), text];
      expression.value = "";
    });
  const expressions = state.expressions.value;
  // Another counterexample is asked when it is looked at: each costs a run of TLC.
  useEffect(() => {
    const known = new Set(state.rows.peek().get(number)?.map((each) => each.text));
    const missing = expressions.filter((each) => !known.has(each));
    if (missing.length)
      void asking("evaluating", async () => {
        for (const text of missing) await value(text);
      });
  }, [number, expressions]);
  const conjuncts = () =>
    asking("asking TLC", async () => {
      const { rows } = await state.store.ask<ConjunctsAnswer>({ ask: "conjuncts", number });
      for (const row of rows)
        state.addRow(number, {
          text: row.conjunct,
          place: row.place,
          depth: row.depth,
          values: row.values.map((each) => (each === null ? "" : each ? "TRUE" : "FALSE")),
        });
    });
  const follow = () =>
    asking("asking TLC", async () => {
      const step = state.step.peek();
      const found = await state.store.ask<SuccessorsAnswer>({ ask: "successors", number, state: step + 1 });
      successors.value = { ...found, step };
    });
  const confirm = () =>
    asking("asking TLC", async () => {
      const { judgement, reason } = await state.store.ask<{ judgement: string; reason: string }>({ ask: "confirm", number });
      said.value = `${judgement}: ${reason}`;
    });
  const actions = () =>
    asking("asking TLC", async () => {
      const { actions: found } = await state.store.ask<{ actions: string[] }>({ ask: "arguments", number });
      state.named.value = new Map([...state.named.peek(), [traceKey(trace), found]]);
    });
  if (!state.store.asks) return null;
  const shown = successors.value?.step === state.step.value ? successors.value : null;
  return (
    <section class="x-ask" aria-label="Ask TLC">
      <form
        class="x-tools"
        onSubmit={(event) => {
          event.preventDefault();
          void evaluate();
        }}
      >
        <label>
          expression{" "}
          <input value={expression.value} placeholder="Cardinality(S)" onInput={(event) => (expression.value = event.currentTarget.value)} />
        </label>
        <button type="submit">evaluate</button>
        <button type="button" onClick={() => void conjuncts()}>
          conjuncts
        </button>
        <button type="button" onClick={() => void follow()}>
          successors of state {state.step.value + 1}
        </button>
        <button type="button" onClick={() => void actions()}>
          arguments
        </button>
        <button type="button" onClick={() => void confirm()}>
          confirm
        </button>
        <span role="status">{busy.value || said.value}</span>
      </form>
      {expressions.length > 0 && (
        <ul class="x-sentences" aria-label="Expressions">
          {expressions.map((text) => (
            <li key={text}>
              <code>{text}</code>{" "}
              <button type="button" aria-label={`remove ${text}`} onClick={() => state.removeExpression(text)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {shown && (
        <div class="x-successors">
          <p>
            {shown.steps.length === 0 ? "No step is possible from" : shown.steps.length === 1 ? "One state follows" : `${shown.steps.length} states follow`} state {shown.step + 1}.
          </p>
          <ul>
            {shown.steps.slice(0, 100).map((each, at) => (
              <li key={at}>
                <strong>{each.action}</strong>
                <Changes texts={each.changes} />
              </li>
            ))}
          </ul>
          {shown.disabled.length > 0 && <p class="x-dim">not enabled: {shown.disabled.join(", ")}</p>}
        </div>
      )}
    </section>
  );
}
