// Sentences that select points and counterexamples.
import type { Overview, Store, Trace } from "./data";

export interface Filter {
  text: string;
  /** Whether a point passes, by its place. */
  point?: (place: number) => boolean;
  /** Whether a counterexample passes, from its row alone or from its states. */
  trace?: (number: number, trace: () => Promise<Trace>) => boolean | Promise<boolean>;
  /** Whether a counterexample has what the sentence names; if none has, ``unnamed`` says so. */
  names?: (trace: () => Promise<Trace>) => Promise<boolean>;
  unnamed?: string;
  /** What the answer alone does not say. */
  note?: string;
  /** Why the sentence means nothing here. */
  error?: string;
}

export interface Tally {
  matching: ReadonlySet<number>;
  /** For each property, how many of its counterexamples match, and how many it has. */
  counts: ReadonlyMap<string, [number, number]>;
  note: string;
}

const COMPARED = /^([^<>=#]+?)\s*(<=|>=|#|\/=|=|<|>)\s*(.+)$/;
const BEFORE = /^(\S+)\s+before\s+(\S+)$/;
const OCCURS = /^(\S+)\s+(occurs|never occurs)$/;
const MOVES = /^(\S+)\s+(falls|rises|changes)$/;

const SIGNS: Record<string, (order: number) => boolean> = {
  "=": (order) => order === 0,
  "#": (order) => order !== 0,
  "/=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** The filter that a sentence means; words without a meaning of their own are searched in the points' texts. */
export function parseFilter(sentence: string, overview: Overview): Filter | null {
  const text = sentence.trim();
  if (!text) return null;
  for (const [sign, all] of [["\\/", false], ["/\\", true]] as const) {
    if (!text.includes(sign)) continue;
    const parts = text.split(sign).map((each) => parseFilter(each, overview));
    const wrong = parts.find((each) => each === null || each.error);
    if (wrong !== undefined) return { text, error: wrong?.error ?? `something is missing beside ${sign}` };
    const points = parts.flatMap((each) => (each!.point ? [each!.point] : []));
    if (points.length < parts.length) return { text, error: `${sign} joins conditions on parameters; add others one by one` };
    return { text, point: (at) => (all ? points.every((each) => each(at)) : points.some((each) => each(at))) };
  }
  return parseOne(text, overview);
}

function parseOne(text: string, overview: Overview): Filter {
  const { points, parameters, traces } = overview;
  const compared = COMPARED.exec(text);
  if (compared) {
    const [, name, sign, value] = compared as unknown as [string, string, string, string];
    const left = term(name, overview);
    if (!left) return { text, error: `no parameter is named ${name.trim()}; there are ${parameters.map((each) => each.name).join(", ")}` };
    const right = term(value, overview) ?? (() => value.trim());
    return { text, point: (at) => SIGNS[sign]!(order(left(at), right(at))) };
  }
  const one = /^point\s+(\d+)$/.exec(text);
  if (one) return { text, point: (at) => points.point[at] === Number(one[1]) };
  const known = new Set(traces.flatMap((each) => each.actions));
  const missing = (...names: string[]) => {
    const unknown = names.filter((each) => !known.has(each));
    return unknown.length ? { note: `no counterexample has an action ${unknown.join(" or ")}` } : {};
  };
  const before = BEFORE.exec(text);
  if (before) {
    const [, first, second] = before as unknown as [string, string, string];
    return {
      text,
      ...missing(first, second),
      trace: (number) => {
        const { actions } = traces[number]!;
        const at = actions.indexOf(first);
        return at >= 0 && actions.lastIndexOf(second) > at;
      },
    };
  }
  const occurs = OCCURS.exec(text);
  if (occurs) {
    const wanted = occurs[2] === "occurs";
    return { text, ...missing(occurs[1]!), trace: (number) => traces[number]!.actions.includes(occurs[1]!) === wanted };
  }
  const moves = MOVES.exec(text);
  if (moves) {
    const wanted = place_(moves[1]!);
    return {
      text,
      trace: async (_, trace) => moved(await trace(), wanted, moves[2]!),
      names: async (trace) => [...paths(await trace(), false)].some(wanted),
      unnamed: `no counterexample has a variable or field ${moves[1]}`,
    };
  }
  const words = text.toLowerCase().split(/\s+/);
  return {
    text,
    point: (at) => {
      const all = [
        String(points.point[at]),
        points.text[at]!,
        ...parameters.map((each, column) => `${each.name}=${each.values[points.values[column]![at]!]}`),
      ];
      const shown = all.join(" ").toLowerCase();
      return words.every((word) => shown.includes(word));
    },
  };
}

/** The value of a parameter, or of a sum or difference with one as laws have them, at a point; null for other texts. */
function term(text: string, overview: Overview): ((at: number) => string) | null {
  const { parameters, points } = overview;
  const column = parameters.findIndex((each) => each.name === text.trim());
  if (column >= 0) return (at) => parameters[column]!.values[points.values[column]![at]!]!;
  const sum = /^\s*(\S+)\s*([+-])\s*(\S+)\s*$/.exec(text);
  const [left, right] = sum ? [term(sum[1]!, overview), term(sum[3]!, overview) ?? numeric(sum[3]!)] : [null, null];
  if (!left || !right) return null;
  return (at) => String(Number(left(at)) + (sum![2] === "+" ? 1 : -1) * Number(right(at)));
}

const numeric = (text: string) => (/^\d+$/.test(text) ? () => text : null);

/** The order of two values: as numbers if both are, otherwise as texts, in which blanks do not count. */
function order(one: string, other: string): number {
  const [left, right] = [Number(one), Number(other)];
  if (one && other && !Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  const [here, there] = [one.replace(/\s/g, ""), other.replace(/\s/g, "")];
  return here === there || here === `"${there}"` ? 0 : here < there ? -1 : 1;
}

/** The test of a place in a state: `hw` is a variable or a field of that name anywhere, `r[*].hw` a path. */
function place_(text: string): (path: readonly string[]) => boolean {
  if (/^\w+$/.test(text)) return (path) => path[0] === text || path.at(-1) === `.${text}`;
  const steps = text.match(/^\w+|\[[^\]]*\]|\.\w+/g) ?? [text];
  return (path) =>
    path.length === steps.length && path.every((step, at) => step === steps[at] || (steps[at] === "[*]" && at > 0));
}

/** The paths of a counterexample, or only those whose values change. */
function* paths(trace: Trace, changing: boolean): Generator<string[]> {
  const todo = trace.steps.variables.map((name) => [name]);
  while (todo.length) {
    const path = todo.pop()!;
    if (changing && trace.writes(path).length === 0) continue;
    yield path;
    todo.push(...trace.below(path));
  }
}

function moved(trace: Trace, wanted: (path: readonly string[]) => boolean, how: string): boolean {
  for (const path of paths(trace, true)) {
    const values = trace.at(path);
    if (wanted(path) && trace.writes(path).some((at) => moves(trace, values[at - 1]!, values[at]!, how))) return true;
  }
  return false;
}

function moves(trace: Trace, before: number, after: number, how: string): boolean {
  if (how === "changes") return true;
  const [one, other] = [Number(trace.nodes.text(before)), Number(trace.nodes.text(after))];
  return how === "falls" ? other < one : other > one;
}

/** The counterexamples that match a filter. */
export async function tally(filter: Filter, store: Store): Promise<Tally> {
  const matching = new Set<number>();
  const counts = new Map<string, [number, number]>();
  let named = !filter.names;
  for (const [number, row] of store.overview.traces.entries()) {
    const matches = await filter.trace!(number, () => store.trace(number));
    if (matches) matching.add(number);
    named ||= matches || (await filter.names!(() => store.trace(number)));
    const [some, all] = counts.get(row.name) ?? [0, 0];
    counts.set(row.name, [some + (matches ? 1 : 0), all + 1]);
  }
  return { matching, counts, note: (named ? filter.note : filter.unnamed) ?? "" };
}
