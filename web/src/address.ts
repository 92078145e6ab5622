// What is selected, as the part of the address after #, so that a link shows the same.
import { batch, effect } from "@preact/signals";
import type { State } from "./state";

/** ``3-5,9`` for 3, 4, 5 and 9. */
function packedNumbers(numbers: Iterable<number>): string {
  const parts: string[] = [];
  let [first, last] = [-1, -1];
  const push = () => first >= 0 && parts.push(first === last ? `${first}` : `${first}-${last}`);
  for (const each of [...numbers].sort((one, other) => one - other)) {
    if (each === last + 1) last = each;
    else {
      push();
      [first, last] = [each, each];
    }
  }
  push();
  return parts.join(",");
}

function unpackedNumbers(text: string): Set<number> {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [first, last] = part.split("-").map(Number);
    for (let each = first!; each <= (last ?? first!) && found.size < 1e6; each++) found.add(each);
  }
  return found;
}

export function address(state: State): string {
  const { traces } = state.store.overview;
  const found = new URLSearchParams();
  const put = (key: string, value: string) => value && found.append(key, value);
  put("points", state.chosen.value ? packedNumbers(state.chosen.value) : "");
  put("property", state.property.value);
  put("across", state.across.value);
  put("down", state.down.value);
  put("each", state.facet.value);
  put("show", state.value.value === "verdict" ? "" : state.value.value);
  put("fine", state.fine.value ? "1" : "");
  const row = traces[state.number.value ?? -1];
  if (row) {
    put("trace", `${row.points[0]}/${row.trace}`);
    put("state", String(state.step.value + 1));
  }
  const other = state.other.value ?? -1;
  const beside = state.store.row(other);
  put(state.store.isOther(other) ? "there" : "with", beside ? `${beside.points[0]}/${beside.trace}` : "");
  for (const pin of state.pins.value) put("pin", pin);
  for (const each of state.hidden.value) put("hide", each);
  put("path", state.path.value ? JSON.stringify(state.path.value) : "");
  for (const each of state.sentences.value) put(state.idle.value.includes(each) ? "answer" : "filter", each);
  return found.toString();
}

/** Selects what an address says; what it does not know is left as it is. */
export function follow(state: State, text: string): void {
  const old = /^point-(\d+)(?:-trace-(\d+))?(?:-step-(\d+))?$/.exec(text);
  const found = new URLSearchParams(old ? `trace=${old[1]}/${old[2] ?? 1}${old[3] ? `&state=${old[3]}` : ""}` : text);
  if ([...found].length === 0) return;
  const { traces, parameters, other } = state.store.overview;
  const numberOf = (name: string | null, rows = traces, before = 0) => {
    const [point, trace] = (name ?? "").split("/").map(Number);
    const at = rows.findIndex((row) => row.points.includes(point!) && row.trace === (trace ?? 1));
    return at < 0 ? null : before + at;
  };
  const known = (name: string | null) => (name !== null && parameters.some((each) => each.name === name) ? name : null);
  const paths = (key: string) => found.getAll(key).filter((each) => Array.isArray(parsed(each)));
  batch(() => {
    const points = found.get("points");
    state.chosen.value = points ? unpackedNumbers(points) : null;
    state.property.value = found.get("property") ?? "";
    state.across.value = known(found.get("across")) ?? state.across.value;
    state.down.value = known(found.get("down")) ?? (found.has("across") ? "" : state.down.value);
    state.facet.value = known(found.get("each")) ?? (found.has("across") ? "" : state.facet.value);
    state.value.value = found.get("show") ?? "verdict";
    state.fine.value = found.has("fine");
    const step = Number(found.get("state")) || Infinity;
    state.open(numberOf(found.get("trace")) ?? state.number.value, Math.max(0, step - 1));
    state.other.value = numberOf(found.get("with")) ?? numberOf(found.get("there"), other?.traces ?? [], traces.length);
    state.pins.value = paths("pin");
    state.hidden.value = paths("hide");
    const path = parsed(found.get("path") ?? "null");
    state.path.value = Array.isArray(path) ? path.map(String) : null;
    state.idle.value = found.getAll("answer");
    state.sentences.value = [...found.getAll("filter"), ...state.idle.value];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Keeps the address of the page equal to the state; returns what ends that. */
export function keepAddress(state: State): () => void {
  follow(state, location.hash.slice(1));
  const changed = () => {
    if (location.hash.slice(1) !== address(state)) follow(state, location.hash.slice(1));
  };
  addEventListener("hashchange", changed);
  const end = effect(() => {
    const text = address(state);
    if (text !== location.hash.slice(1)) history.replaceState(null, "", `#${text}`);
  });
  return () => {
    removeEventListener("hashchange", changed);
    end();
  };
}
