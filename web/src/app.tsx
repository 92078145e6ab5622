// The explorer: one selection, and the views of it.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Bench } from "./bench";
import { Compare } from "./compare";
import { Kinds } from "./kinds";
import { issueText } from "./issue";
import { Map_ } from "./map";
import { PointList } from "./points";
import { Sentences } from "./sentences";
import type { State } from "./state";
import { Walk } from "./walk";
import { Why } from "./why";

const KEYS: [string, string][] = [
  ["j / k", "next or previous step"],
  ["n / p", "next or previous change of the followed path, or of the first pin"],
  ["] / [", "next or previous counterexample"],
  ["/", "filter"],
  ["?", "this list"],
];

export function App({ state, root }: { state: State; root: HTMLElement }) {
  const help = useRef<HTMLDialogElement>(null);
  const copied = useSignal("");
  // An effect that waits for a frame loses the keys pressed before it.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help.current?.open) return;
      if ((event.target as HTMLElement).closest?.("input, select, textarea, dialog")) return;
      const act: Record<string, () => void> = {
        j: () => state.goto(state.step.peek() + 1),
        k: () => state.goto(state.step.peek() - 1),
        n: () => state.change(1),
        p: () => state.change(-1),
        "]": () => state.next(1),
        "[": () => state.next(-1),
        "/": () => root.querySelector<HTMLElement>("#x-search")?.focus(),
        "?": () => help.current?.showModal(),
      };
      if (!act[event.key]) return;
      event.preventDefault();
      act[event.key]!();
    };
    // A page is ours as a whole; in a notebook the keys are for what has the focus.
    const target = root.dataset.page === undefined ? root : document;
    target.addEventListener("keydown", pressed as EventListener);
    return () => target.removeEventListener("keydown", pressed as EventListener);
  }, []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(issueText(state));
      copied.value = "copied";
    } catch {
      copied.value = "not allowed here: select the text below";
    }
  };
  return (
    <div class="x" lang="en">
      <p class="x-tools x-bar">
        <button type="button" onClick={() => help.current?.showModal()}>
          keys
        </button>
        <button type="button" onClick={() => void copy()}>
          copy for the issue
        </button>
        <span role="status">{copied.value}</span>
      </p>
      {copied.value.startsWith("not") && <textarea class="x-text" rows={12} readOnly aria-label="text for the issue" value={issueText(state)} />}
      <Why state={state} />
      <Sentences state={state} />
      <div class="x-beside-each-other">
        <Map_ state={state} />
        <Kinds state={state} />
      </div>
      <Bench state={state} />
      <Compare state={state} />
      {state.store.asks && <Walk state={state} />}
      <PointList state={state} />
      <dialog ref={help} aria-labelledby="x-keys">
        <h2 id="x-keys">Keys</h2>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button>close</button>
        </form>
      </dialog>
    </div>
  );
}
