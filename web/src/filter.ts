// Sentences that select points and counterexamples.
import type { Overview, Store, Trace } from "./data";

export interface Filter {
  text: string;
  /** Whether a point passes, by its place. */
  point?: (place: number) => boolean;
  /** Whether a counterexample passes, from its row alone or from its states. */
  trace?: (number: number, trace: () => Promise<Trace>) => boolean | Promise<boolean>;
}

export interface Tally {
  matching: ReadonlySet<number>;
  /** For each property, how many of its counterexamples match, and how many it has. */
  counts: ReadonlyMap<string, [number, number]>;
}

const COMPARED = /^(\S+)\s*(<=|>=|#|\/=|=|<|>)\s*(.+)$/;
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
  const { points, parameters, traces } = overview;
  const compared = COMPARED.exec(text);
  const place = parameters.findIndex((each) => each.name === compared?.[1]);
  if (compared && place >= 0) {
    const { values } = parameters[place]!;
    const passes = values.map((value) => SIGNS[compared[2]!]!(order(value, compared[3]!.trim())));
    return { text, point: (at) => passes[points.values[place]![at]!]! };
  }
  const before = BEFORE.exec(text);
  if (before) {
    const [, first, second] = before;
    return {
      text,
      trace: (number) => {
        const { actions } = traces[number]!;
        const at = actions.indexOf(first!);
        return at >= 0 && actions.lastIndexOf(second!) > at;
      },
    };
  }
  const occurs = OCCURS.exec(text);
  if (occurs) {
    const wanted = occurs[2] === "occurs";
    return { text, trace: (number) => traces[number]!.actions.includes(occurs[1]!) === wanted };
  }
  const moves = MOVES.exec(text);
  if (moves) {
    const wanted = place_(moves[1]!);
    return { text, trace: async (_, trace) => moved(await trace(), wanted, moves[2]!) };
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

/** The order of two values: as numbers if both are, otherwise as texts. */
function order(one: string, other: string): number {
  const [left, right] = [Number(one), Number(other)];
  if (one && other && !Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  return one === other || one === `"${other}"` ? 0 : one < other ? -1 : 1;
}

/** The test of a place in a state: `hw` is a variable or a field of that name anywhere, `r[*].hw` a path. */
function place_(text: string): (path: readonly string[]) => boolean {
  if (/^\w+$/.test(text)) return (path) => path[0] === text || path.at(-1) === `.${text}`;
  const steps = text.match(/^\w+|\[[^\]]*\]|\.\w+/g) ?? [text];
  return (path) =>
    path.length === steps.length && path.every((step, at) => step === steps[at] || (steps[at] === "[*]" && at > 0));
}

function moved(trace: Trace, wanted: (path: readonly string[]) => boolean, how: string): boolean {
  const todo = trace.steps.variables.map((name) => [name]);
  while (todo.length) {
    const path = todo.pop()!;
    const values = trace.at(path);
    if (wanted(path) && values.some((node, at) => at > 0 && moves(trace, values[at - 1]!, node, how))) return true;
    if (values.some((node, at) => at > 0 && node !== values[at - 1])) todo.push(...trace.below(path));
  }
  return false;
}

function moves(trace: Trace, before: number, after: number, how: string): boolean {
  if (before === after) return false;
  if (how === "changes") return true;
  const [one, other] = [Number(trace.nodes.text(before)), Number(trace.nodes.text(after))];
  return how === "falls" ? other < one : other > one;
}

/** The counterexamples that match a filter. */
export async function tally(filter: Filter, store: Store): Promise<Tally> {
  const matching = new Set<number>();
  const counts = new Map<string, [number, number]>();
  for (const [number, row] of store.overview.traces.entries()) {
    const matches = await filter.trace!(number, () => store.trace(number));
    if (matches) matching.add(number);
    const [some, all] = counts.get(row.name) ?? [0, 0];
    counts.set(row.name, [some + (matches ? 1 : 0), all + 1]);
  }
  return { matching, counts };
}
