// A walk through the states of a point, whether or not it violates anything: TLC answers each step.
import { useSignal } from "@preact/signals";
import { Changes, type SuccessorsAnswer } from "./ask";
import { NOT_RUN } from "./data";
import type { State } from "./state";
import { plural } from "./text";

const MOST = 100;

interface Answer extends SuccessorsAnswer {
  walked: string[];
  values: string[];
}

export function Walk({ state }: { state: State }) {
  const { parameters, points } = state.store.overview;
  const point = useSignal<number | null>(null);
  const steps = useSignal<readonly number[]>([]);
  const found = useSignal<Answer | null>(null);
  const said = useSignal("");
  const here = point.value ?? points.point[state.points.value[0] ?? 0]!;
  const walk = async (...way: number[]) => {
    if (said.peek() === "asking TLC") return;
    said.value = "asking TLC";
    try {
      found.value = await state.store.ask<Answer>({ ask: "walk", point: here, steps: way });
      [point.value, steps.value, said.value] = [here, way, ""];
    } catch (error) {
      said.value = error instanceof Error ? error.message : String(error);
    }
  };
  const title = (place: number) =>
    parameters.flatMap((each, at) => (each.values.length > 1 ? [`${each.name} = ${each.values[points.values[at]![place]!]}`] : [])).join(", ");
  const answer = found.value;
  return (
    <section id="x-walk" aria-labelledby="x-walk-title">
      <h2 id="x-walk-title">Walk</h2>
      <p class="x-tools">
        <label>
          point{" "}
          <select
            value={here}
            onChange={(event) => {
              point.value = Number(event.currentTarget.value);
              found.value = null;
            }}
          >
            {points.point.map((each, place) =>
              points.verdict[place] === NOT_RUN ? null : (
                <option key={each} value={each}>
                  {each}: {points.text[place]} {title(place)}
                </option>
              ),
            )}
          </select>
        </label>
        <button type="button" onClick={() => void walk()}>
          initial states
        </button>
        <span role="status">{said.value}</span>
      </p>
      {answer && (
        <div class="x-successors">
          {answer.walked.length > 0 && (
            <>
              <ol class="x-chips" aria-label="States walked through">
                {answer.walked.map((action, at) => (
                  <li key={at}>
                    <button type="button" aria-pressed={at === answer.walked.length - 1} onClick={() => void walk(...steps.value.slice(0, at + 1))}>
                      {at + 1} {action}
                    </button>
                  </li>
                ))}
              </ol>
              <pre aria-label="state">
                <code>{answer.values.join("\n")}</code>
              </pre>
            </>
          )}
          <p>
            {answer.walked.length === 0
              ? plural(answer.steps.length, "initial state")
              : answer.steps.length === 0
                ? "No step is possible."
                : `${plural(answer.steps.length, "state")} may follow:`}
          </p>
          <ul>
            {answer.steps.slice(0, MOST).map((each, at) => (
              <li key={at}>
                <button type="button" class="x-name" onClick={() => void walk(...steps.value, at)}>
                  {each.action}
                </button>
                <Changes texts={each.changes} />
              </li>
            ))}
          </ul>
          {answer.steps.length > MOST && <p class="x-dim">and {answer.steps.length - MOST} more</p>}
          {answer.disabled.length > 0 && <p class="x-dim">not enabled: {answer.disabled.join(", ")}</p>}
        </div>
      )}
    </section>
  );
}
