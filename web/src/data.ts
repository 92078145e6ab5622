// The data of a store, as tla2py/view/explorer.py writes them.

export interface Parameter {
  name: string;
  kind: string;
  values: string[];
}

export interface Points {
  point: number[];
  verdict: string[];
  text: string[];
  /** For each parameter, the place of each point's value among the parameter's values. */
  values: number[][];
  violated: [string, number | null][][];
  minimal: boolean[];
  message: (string | null)[];
  numbers: Record<string, (number | null)[]>;
  least: boolean[];
  /** Why a search for laws ran each point: corner, refute or draw. */
  chosen: (string | null)[];
  /** For points that did not run what the laws of a search predict as violated; null for others, and without such laws. */
  would: (string[] | null)[];
}

export interface Conjunct {
  text: string;
  parameters: string[];
}

export interface Law {
  title: string;
  property: string;
  scope: string | null;
  law: string;
  breaks: string;
  support: string;
  telling: boolean;
  rivals: string[];
  terms: Conjunct[][];
  asked: number[];
  violated: number;
  exceptions: number[];
  predicted: (boolean | null)[];
}

export interface Kind {
  name: string;
  module: string;
  members: number[];
  backbone: string[];
  repeated: string[];
  varies: string[];
  only: string[];
  ending: string;
}

export interface TraceRow {
  points: number[];
  trace: number;
  name: string;
  length: number;
  actions: string[];
}

export interface Overview {
  format: number;
  version: string;
  name: string;
  summary: string;
  parameters: Parameter[];
  /** Those that ran; ``open`` appends the others. */
  points: Points;
  unrun: { point: number[]; values: number[][]; would: (string[] | null)[] };
  laws: Law[];
  axes: string[];
  kinds: { coarse: Kind[]; fine: Kind[] };
  traces: TraceRow[];
  /** The number of the first counterexample of each chunk. */
  parts: number[];
  /** For counterexamples by number, the nearest points that hold: name, value there, value here. */
  nearest: Record<string, { point: number; differs: [string, string, string][] }[]>;
  /** The texts of definitions by name. */
  definitions: Record<string, string>;
  /** What mutants change, by their ids. */
  mutants: Record<string, Mutant>;
  /** The store that this one is compared with. Its counterexamples and chunks are numbered after those of this one. */
  other: OtherStore | null;
}

export interface OtherStore {
  name: string;
  traces: TraceRow[];
  parts: number[];
  /** Its point with equal parameters, for our points that violate something. */
  points: Record<string, { point: number; text: string }>;
}

export interface Mutant {
  place: string;
  definition: string;
  operator: string;
  before: string;
  after: string;
}

/** A change of a step: the place, what was removed and what was added, as numbers of texts. */
export type Change = [number, number, number];

export interface LanesRow {
  processes: string[];
  caption: string;
  note: string;
  /** For each state, the processes with changes: the process, then numbers of texts. */
  cells: number[][][];
  shared: number[][];
  who: number[][];
  /** Text, sender, receiver, rows where it is sent, received, and received in the next round; -1 for unknown. */
  messages: [number, number, number, number, number, number][];
}

export interface StepsRow {
  variables: string[];
  states: number[][];
  actions: number[];
  names: number[];
  places: number[];
  changes: Change[][];
  closing: Change[];
  loop: number | null;
  end: string;
  lanes: LanesRow | null;
  /** Of a log: the line that leads to each state, and the one after the last state; -1 for none. */
  lines?: number[];
  unexplained?: number;
}

interface Chunk {
  nodes: Node[];
  traces: StepsRow[];
}

type Node = string | number[];

const [SET, SEQUENCE, RECORD] = [0, 1, 2];

export interface Child {
  /** The step of a path that leads to it. */
  step: string;
  node: number;
}

/** The distinct values and texts of a chunk. Equal values have equal numbers. */
export class Nodes {
  private readonly texts = new Map<number, string>();

  constructor(private readonly rows: Node[]) {}

  text(node: number): string {
    const row = this.rows[node];
    if (row === undefined) return "";
    if (typeof row === "string") return row;
    let text = this.texts.get(node);
    if (text === undefined) {
      text = this.written(row);
      this.texts.set(node, text);
    }
    return text;
  }

  private written(row: number[]): string {
    const [kind, ...parts] = row;
    if (kind === SET) return `{${parts.map((each) => this.text(each)).join(", ")}}`;
    if (kind === SEQUENCE) return `<<${parts.map((each) => this.text(each)).join(", ")}>>`;
    const pairs: string[] = [];
    for (let at = 0; at < parts.length; at += 2) {
      const [key, value] = [this.text(parts[at]!), this.text(parts[at + 1]!)];
      pairs.push(kind === RECORD ? `${key} |-> ${value}` : `${key} :> ${value}`);
    }
    return kind === RECORD ? `[${pairs.join(", ")}]` : `(${pairs.join(" @@ ")})`;
  }

  /** The elements of a set. */
  elements(node: number): number[] | null {
    const row = this.rows[node];
    return row !== undefined && typeof row !== "string" && row[0] === SET ? row.slice(1) : null;
  }

  /** The parts of a sequence, record or function, each with the step of its path. */
  children(node: number): Child[] {
    const row = this.rows[node];
    if (row === undefined || typeof row === "string" || row[0] === SET) return [];
    const [kind, ...parts] = row;
    if (kind === SEQUENCE) return parts.map((each, at) => ({ step: `[${at + 1}]`, node: each }));
    const found: Child[] = [];
    for (let at = 0; at < parts.length; at += 2) {
      const key = this.text(parts[at]!);
      found.push({ step: kind === RECORD ? fieldStep(key) : keyStep(key), node: parts[at + 1]! });
    }
    return found;
  }

  child(node: number, step: string): number {
    return this.children(node).find((each) => each.step === step)?.node ?? -1;
  }
}

const IDENTIFIER = /^\w*[A-Za-z]\w*$/;
const fieldStep = (name: string) => (IDENTIFIER.test(name) ? `.${name}` : `["${name}"]`);
const keyStep = (key: string) => {
  const name = /^"(.*)"$/.exec(key)?.[1];
  return name !== undefined && IDENTIFIER.test(name) ? `.${name}` : `[${key}]`;
};

/** A counterexample with its states. */
export class Trace {
  private readonly values = new Map<string, number[]>();

  constructor(
    readonly number: number,
    readonly row: TraceRow,
    readonly steps: StepsRow,
    readonly nodes: Nodes,
  ) {}

  get length(): number {
    return this.steps.states.length;
  }

  /** The number of a path's value in each state, -1 where it has none. */
  at(path: readonly string[]): number[] {
    const key = path.join("\0");
    let found = this.values.get(key);
    if (found === undefined) {
      const [variable, ...steps] = path;
      if (steps.length === 0) {
        const place = this.steps.variables.indexOf(variable!);
        found = this.steps.states.map((state) => state[place] ?? -1);
      } else {
        const above = this.at(path.slice(0, -1));
        const step = steps.at(-1)!;
        const known = new Map<number, number>([[-1, -1]]);
        found = above.map((node) => {
          let child = known.get(node);
          if (child === undefined) known.set(node, (child = this.nodes.child(node, step)));
          return child;
        });
      }
      this.values.set(key, found);
    }
    return found;
  }

  /** The paths right below a path, in any state. */
  below(path: readonly string[]): string[][] {
    const steps = new Set<string>();
    const seen = new Set<number>();
    for (const node of this.at(path)) {
      if (node < 0 || seen.has(node)) continue;
      seen.add(node);
      for (const child of this.nodes.children(node)) steps.add(child.step);
    }
    return [...steps].map((step) => [...path, step]);
  }

  action(state: number): string {
    return this.nodes.text(this.steps.actions[state]!);
  }

  name(state: number): string {
    return this.nodes.text(this.steps.names[state]!);
  }

  place(state: number): string {
    return this.nodes.text(this.steps.places[state]!);
  }

  /** The states at which a path has a value that it had not in the state before. */
  writes(path: readonly string[]): number[] {
    const values = this.at(path);
    return values.flatMap((node, at) => (at > 0 && node !== values[at - 1] ? [at] : []));
  }
}

/** A path as text, ``left[c1].epoch``. */
export const pathText = (path: readonly string[]) => path.join("");

/** A question that TLC answers, see tla2py/view/server.py. */
export type Question =
  | { ask: "values"; number: number; expression: string }
  | { ask: "conjuncts" | "confirm" | "arguments"; number: number }
  | { ask: "successors"; number: number; state: number }
  | { ask: "walk"; point: number; steps: readonly number[] }
  | { ask: "replay"; number: number; point: number; other: boolean };

/** Where the data come from: a page has them inside, a server is asked. Only a server has TLC. */
export interface Source {
  overview(): Promise<Overview>;
  chunk(number: number): Promise<unknown>;
  ask?(question: Question): Promise<unknown>;
}

const FORMAT = 1;

export const NOT_RUN = "not run";

/** Appends the points that did not run to the others. */
function appendUnrun(points: Points, unrun: Overview["unrun"]): void {
  const fill = <T>(value: T) => unrun.point.map(() => value);
  points.would = [...points.point.map(() => null), ...unrun.would];
  points.point.push(...unrun.point);
  unrun.values.forEach((each, at) => points.values[at]!.push(...each));
  points.verdict.push(...fill(NOT_RUN));
  points.text.push(...unrun.would.map((names) => NOT_RUN + (names === null ? "" : names.length ? `: would violate ${names.join(", ")}` : ": would hold")));
  points.violated.push(...fill([]));
  points.minimal.push(...fill(false));
  points.message.push(...fill(null));
  points.least.push(...fill(false));
  points.chosen.push(...fill(null));
  for (const column of Object.values(points.numbers)) column.push(...fill(null));
}

export class Store {
  private readonly chunks = new Map<number, Promise<{ nodes: Nodes; traces: StepsRow[] }>>();
  private readonly traces = new Map<number, Trace>();

  private constructor(
    readonly overview: Overview,
    private readonly source: Source,
  ) {}

  /** Whether TLC can be asked. */
  get asks(): boolean {
    return this.source.ask !== undefined;
  }

  /** The answer to a question. Fails with what prevents it. */
  async ask<T>(question: Question): Promise<T> {
    const found = (await this.source.ask!(question)) as T & { error?: string; hint?: string };
    if (found.error !== undefined) throw new Error([found.error, found.hint].filter(Boolean).join("; "));
    return found;
  }

  static async open(source: Source): Promise<Store> {
    const overview = await source.overview();
    if (overview.format !== FORMAT)
      throw new Error(`the page's script reads format ${FORMAT}, the data have format ${overview.format}`);
    appendUnrun(overview.points, overview.unrun);
    return new Store(overview, source);
  }

  /** A counterexample that is here already. */
  loaded(number: number): Trace | undefined {
    return this.traces.get(number);
  }

  /** Whether a counterexample is one of the other store. */
  isOther(number: number): boolean {
    return number >= this.overview.traces.length;
  }

  row(number: number): TraceRow | undefined {
    const { traces, other } = this.overview;
    return traces[number] ?? other?.traces[number - traces.length];
  }

  /** The numbers of the other store's counterexamples at its point with equal parameters. */
  same(point: number): number[] {
    const { traces, other } = this.overview;
    const theirs = other?.points[String(point)]?.point;
    return other?.traces.flatMap((row, at) => (theirs !== undefined && row.points.includes(theirs) ? [traces.length + at] : [])) ?? [];
  }

  async trace(number: number): Promise<Trace> {
    const known = this.traces.get(number);
    if (known) return known;
    const { traces, parts: own, other } = this.overview;
    const [parts, before, chunks] = this.isOther(number) ? [other!.parts, traces.length, own.length] : [own, 0, 0];
    const part = parts.findLastIndex((first) => first <= number - before);
    const at = number - before - parts[part]!;
    const place = chunks + part;
    let chunk = this.chunks.get(place);
    if (!chunk) {
      chunk = this.source.chunk(place).then((data) => {
        const { nodes, traces } = data as Chunk;
        return { nodes: new Nodes(nodes), traces };
      });
      this.chunks.set(place, chunk);
    }
    const { nodes, traces: rows } = await chunk;
    const found = new Trace(number, this.row(number)!, rows[at]!, nodes);
    this.traces.set(number, found);
    return found;
  }
}

/** Unpacks what ``packed`` in tla2py/view/explorer.py wrote. */
export async function unpacked(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text.trim()), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}
