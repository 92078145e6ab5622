// One counterexample: its steps, the timeline of its variables, a whole state, and the lanes, with one cursor.
import { useEffect, useRef } from "preact/hooks";
import { Ask } from "./ask";
import type { Change, Trace } from "./data";
import { Lanes } from "./lanes";
import { pathKey, type State } from "./state";
import { plural } from "./text";
import { Timeline } from "./timeline";
import { Tree } from "./tree";
import { reveal, span, useSeen } from "./window";

export function Bench({ state }: { state: State }) {
  const trace = state.trace.value;
  const section = useRef<HTMLElement>(null);
  const shown = state.shown.value;
  useEffect(() => {
    if (shown > 0) section.current?.scrollIntoView({ block: "start" });
  }, [shown]);
  if (state.store.overview.traces.length === 0) return null;
  return (
    <section ref={section} id="x-bench" aria-labelledby="x-bench-title">
      <h2 id="x-bench-title">Counterexample</h2>
      {trace === null ? <p>Loading…</p> : <Shown key={trace.number} state={state} trace={trace} />}
    </section>
  );
}

function Shown({ state, trace }: { state: State; trace: Trace }) {
  const { overview } = state.store;
  const { parameters, points } = overview;
  const place = points.point.indexOf(trace.row.points[0]!);
  const here = parameters.map((each, at) => ({ ...each, value: each.values[points.values[at]![place]!] }));
  const values = here.filter((each) => each.values.length > 1);
  const definition = overview.definitions[trace.row.name];
  const mutant = overview.mutants[here.find((each) => each.name === "mutant")?.value ?? ""];
  return (
    <>
      <header class="x-head">
        <h3>
          {trace.row.name} at point {trace.row.points.join(", ")}
          {trace.row.trace > 1 ? `, trace ${trace.row.trace}` : ""}
        </h3>
        <p>
          <code>{values.map((each) => `${each.name} = ${each.value}`).join(", ")}</code>
        </p>
        {!state.traces.value.includes(trace.number) && <p class="x-dim">This counterexample is not among those selected.</p>}
        {mutant && (
          <p class="x-mutant">
            {mutant.operator} at <code>{mutant.place}</code> in <code>{mutant.definition}</code>:{" "}
            <del>{mutant.before}</del> <ins>{mutant.after || "(nothing)"}</ins>
          </p>
        )}
        {definition && (
          <details>
            <summary>definition</summary>
            <pre>
              <code>{definition}</code>
            </pre>
          </details>
        )}
        <p class="x-tools">
          <button type="button" onClick={() => state.next(-1)} title="[">
            previous trace
          </button>
          <button type="button" onClick={() => state.next(1)} title="]">
            next trace
          </button>
          <button type="button" onClick={() => state.goto(state.step.peek() - 1)} title="k">
            previous step
          </button>
          <button type="button" onClick={() => state.goto(state.step.peek() + 1)} title="j">
            next step
          </button>
          <span role="status">
            state {state.step.value + 1} of {trace.length}
          </span>
        </p>
      </header>
      <div class="x-panes">
        <Steps state={state} trace={trace} />
        <Timeline state={state} trace={trace} />
        <Tree state={state} trace={trace} />
      </div>
      <Ask state={state} trace={trace} />
      <Wrote state={state} trace={trace} />
      <Lanes state={state} trace={trace} />
    </>
  );
}

const LINE = 28;

/** Where a state is in the loop, and how the behaviour ends. */
export function loopMark(trace: Trace, at: number): string {
  const { loop } = trace.steps;
  if (loop === null || at + 1 < loop) return "";
  return at + 1 === loop ? "↻" : "│";
}

function Steps({ state, trace }: { state: State; trace: Trace }) {
  const [ref, seen] = useSeen<HTMLDivElement>();
  const step = state.step.value;
  useEffect(() => reveal(ref.current, "top", step * LINE, LINE), [step]);
  const [from, to] = span(trace.length, LINE, seen.top, seen.height);
  const rows = [];
  for (let at = from; at < to; at++) {
    const changes = trace.steps.changes[at]!;
    const line = logLine(trace, at);
    const summary = line || changes.map(([path]) => trace.nodes.text(path)).join(", ");
    rows.push(
      <div
        key={at}
        id={state.id(`x-step-${at + 1}`)}
        role="option"
        aria-selected={at === step}
        class={`x-step${at === step ? " x-on" : ""}`}
        style={{ top: `${at * LINE}px` }}
        title={trace.place(at)}
        onClick={() => state.goto(at)}
      >
        <span class="x-n">{at + 1}</span>
        <span class="x-loop">{loopMark(trace, at)}</span>
        <span class="x-action">{state.action(trace, at)}</span>
        <span class="x-dim">{at > 0 && !line && changes.length === 0 ? "nothing changes" : summary}</span>
      </div>,
    );
  }
  return (
    <div class="x-pane x-steps">
      <h4 id="x-steps-title">Steps</h4>
      <div
        ref={ref}
        class="x-scroll"
        role="listbox"
        aria-labelledby="x-steps-title"
        aria-activedescendant={state.id(`x-step-${step + 1}`)}
        tabIndex={0}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          state.goto(state.step.peek() + by);
        }}
      >
        <div class="x-all" role="presentation" style={{ height: `${trace.length * LINE}px` }}>
          {rows}
        </div>
      </div>
      <Line title="log line" text={logLine(trace, step)} />
      <Changes trace={trace} changes={trace.steps.changes[step]!} title={`changes of step ${step + 1}`} first={step === 0} />
      {trace.steps.end && <p class="x-end">{trace.steps.end}</p>}
      {step === trace.length - 1 && <Line title="no step explains log line" text={trace.nodes.text(trace.steps.unexplained ?? -1)} />}
      {step === trace.length - 1 && trace.steps.loop !== null && (
        <Changes trace={trace} changes={trace.steps.closing} title="changes of the step that closes the loop" first={false} />
      )}
    </div>
  );
}

/** The number and text of the line of a log that leads to a state; empty without one. */
const logLine = (trace: Trace, at: number) => trace.nodes.text(trace.steps.lines?.[at] ?? -1);

function Line({ title, text }: { title: string; text: string }) {
  if (!text) return null;
  return (
    <p class="x-log">
      {title} <code>{text}</code>
    </p>
  );
}

function Changes({ trace, changes, title, first }: { trace: Trace; changes: Change[]; title: string; first: boolean }) {
  const { nodes } = trace;
  return (
    <ul class="x-changes" aria-label={title}>
      {changes.map(([path, before, after], each) => (
        <li key={each}>
          <code>{nodes.text(path)}</code> {nodes.text(before) && <del>{nodes.text(before)}</del>}{" "}
          {nodes.text(after) && <ins>{nodes.text(after)}</ins>}
        </li>
      ))}
      {!first && changes.length === 0 && <li class="x-dim">nothing changes</li>}
    </ul>
  );
}

/** Who wrote the value of the followed path, when, and what was there before. */
function Wrote({ state, trace }: { state: State; trace: Trace }) {
  const path = state.path.value;
  if (!path) return null;
  const values = trace.at(path);
  const step = state.step.value;
  const writes = trace.writes(path).filter((each) => each <= step).reverse();
  return (
    <section class="x-wrote" aria-label="Who wrote this">
      <p>
        <strong>
          <code>{path.join("")}</code>
        </strong>{" "}
        = <code>{trace.nodes.text(values[step]!) || "no value"}</code> in state {step + 1}.{" "}
        {writes.length === 0 && "It has had this value from the first state on."}{" "}
        <button type="button" onClick={() => state.pin(path)}>
          {state.pins.value.includes(pathKey(path)) ? "unpin" : "pin"}
        </button>{" "}
        <button type="button" onClick={() => (state.path.value = null)}>
          close
        </button>
      </p>
      {writes.length > 0 && (
        <ol reversed start={writes.length}>
          {writes.slice(0, 20).map((at) => (
            <li key={at}>
              <button type="button" onClick={() => state.goto(at)}>
                state {at + 1}
              </button>{" "}
              <strong>{trace.action(at)}</strong> wrote <ins>{trace.nodes.text(values[at]!) || "nothing"}</ins>, before that{" "}
              <del>{trace.nodes.text(values[at - 1]!) || "nothing"}</del>
            </li>
          ))}
        </ol>
      )}
      {writes.length > 20 && <p class="x-dim">and {plural(writes.length - 20, "earlier write")}</p>}
    </section>
  );
}

