// What is selected and shown. All views read it, and the address keeps it.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Store, Trace } from "./data";
import { type Filter, type Tally, parseFilter, tally } from "./filter";

let made = 0;

export class State {
  /** What sets the ids of this explorer's elements apart from those of others in a notebook. */
  private readonly suffix = made++ ? `-${made}` : "";
  /** Points chosen on the map, null for all. */
  readonly chosen = signal<ReadonlySet<number> | null>(null);
  readonly across = signal("");
  readonly down = signal("");
  readonly facet = signal("");
  readonly value = signal("verdict");
  readonly property = signal("");
  readonly fine = signal(false);
  readonly kind = signal<number | null>(null);
  readonly number = signal<number | null>(null);
  readonly step = signal(0);
  /** Grows when the page should move to the counterexample. */
  readonly shown = signal(0);
  readonly pins = signal<readonly string[]>([]);
  readonly hidden = signal<readonly string[]>([]);
  readonly opened = signal<ReadonlySet<string>>(new Set());
  /** The path whose values are followed, as steps. */
  readonly path = signal<readonly string[] | null>(null);
  readonly other = signal<number | null>(null);
  readonly sentences = signal<readonly string[]>([]);
  /** The sentences that are answered and do not filter. */
  readonly idle = signal<readonly string[]>([]);
  readonly trace = signal<Trace | null>(null);
  readonly otherTrace = signal<Trace | null>(null);
  /** What each sentence matches, by sentence. */
  readonly answers = signal<ReadonlyMap<string, Tally>>(new Map());

  /** Rows of the timeline that TLC evaluated, by counterexample. */
  readonly rows = signal<ReadonlyMap<number, readonly Evaluated[]>>(new Map());
  /** The expressions that are rows of every counterexample that is looked at. */
  readonly expressions = signal<readonly string[]>([]);
  /** The actions with the arguments that TLC derived, by counterexample. */
  readonly named = signal<ReadonlyMap<string, readonly string[]>>(new Map());

  /** The places of the points that pass the selection and the sentences about points. */
  readonly points = computed(() => {
    const { points } = this.store.overview;
    const filters = this.filtering.value;
    const chosen = this.chosen.value;
    return points.point.flatMap((point, place) =>
      (!chosen || chosen.has(point)) && filters.every((each) => !each.point || each.point(place)) ? [place] : [],
    );
  });

  readonly filters = computed<readonly Filter[]>(() =>
    this.sentences.value.map((text) => parseFilter(text, this.store.overview)).filter((each) => each !== null),
  );

  private readonly filtering = computed(() => this.filters.value.filter((each) => !each.error && !this.idle.value.includes(each.text)));

  /** For each sentence with an answer, by the place of a point: what it applies to there, and what it was asked about. */
  readonly shares = computed<ReadonlyMap<string, readonly (readonly [number, number])[]>>(() => {
    const { points } = this.store.overview;
    const found = new Map<string, readonly (readonly [number, number])[]>();
    for (const filter of this.filters.value) {
      const matching = this.answers.value.get(filter.text)?.matching;
      if (filter.point) found.set(filter.text, points.point.map((_, place) => [filter.point!(place) ? 1 : 0, 1] as const));
      else if (matching)
        found.set(
          filter.text,
          points.point.map((point) => {
            const there = this.at.get(point) ?? [];
            return [there.filter((each) => matching.has(each)).length, there.length] as const;
          }),
        );
    }
    return found;
  });

  /** The numbers of the counterexamples that pass everything. */
  readonly traces = computed(() => {
    const { points, traces } = this.store.overview;
    const shown = new Set(this.points.value.map((place) => points.point[place]!));
    const answers = this.answers.value;
    const asked = this.filtering.value.filter((each) => each.trace);
    const property = this.property.value;
    return traces.flatMap((row, number) =>
      row.points.some((point) => shown.has(point)) &&
      (!property || row.name === property) &&
      asked.every((each) => answers.get(each.text)?.matching.has(number) ?? true)
        ? [number]
        : [],
    );
  });

  readonly kinds = computed(() => {
    const shown = new Set(this.traces.value);
    const { coarse, fine } = this.store.overview.kinds;
    return (this.fine.value ? fine : coarse)
      .map((kind, at) => ({ kind, at, members: kind.members.filter((each) => shown.has(each)) }))
      .filter((each) => each.members.length > 0);
  });

  /** The numbers of the counterexamples of each point that has any. */
  readonly at = new Map<number, number[]>();

  /** The step to go to once the counterexample that was opened is loaded. */
  private wanted = Infinity;

  constructor(readonly store: Store) {
    for (const [number, row] of store.overview.traces.entries())
      for (const point of row.points) {
        const known = this.at.get(point);
        if (known) known.push(number);
        else this.at.set(point, [number]);
      }
    const { axes, parameters, kinds } = store.overview;
    this.across.value = axes[0] ?? "";
    this.down.value = axes[1] ?? "";
    const varying = parameters.filter((each) => each.values.length > 1 && !axes.includes(each.name));
    this.facet.value = varying.find((each) => each.kind === "module")?.name ?? "";
    this.number.value = kinds.coarse[0]?.members[0] ?? null;
  }

  id(name: string): string {
    return name + this.suffix;
  }

  /** Begins to load what is selected, and to answer the sentences; returns what ends that. */
  start(): () => void {
    const ends = [
      effect(() => void this.load(this.number.value, this.trace)),
      effect(() => void this.load(this.other.value, this.otherTrace)),
      effect(() => {
        for (const each of this.filters.value)
          if (each.trace && !untracked(() => this.answers.value).has(each.text)) void this.answer(each);
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  private async load(number: number | null, target: typeof this.trace): Promise<void> {
    const found = number === null ? null : (this.store.loaded(number) ?? (await this.store.trace(number)));
    const current = target === this.trace ? this.number : this.other;
    if (current.peek() !== number) return;
    batch(() => {
      target.value = found;
      if (target === this.trace && found) this.step.value = Math.max(0, Math.min(this.wanted, found.length - 1));
    });
  }

  private async answer(filter: Filter): Promise<void> {
    const found = await tally(filter, this.store);
    this.answers.value = new Map([...this.answers.peek(), [filter.text, found]]);
  }

  /** Whether a sentence filters, or is only answered. */
  toggleFilter(sentence: string): void {
    const idle = this.idle.peek();
    this.idle.value = idle.includes(sentence) ? idle.filter((each) => each !== sentence) : [...idle, sentence];
  }

  forget(sentence: string): void {
    batch(() => {
      this.sentences.value = this.sentences.peek().filter((each) => each !== sentence);
      this.idle.value = this.idle.peek().filter((each) => each !== sentence);
      if (this.value.peek() === sentence) this.value.value = "verdict";
    });
  }

  /** Opens a counterexample, by default at its last state, the violating one. */
  open(number: number | null, step = Infinity): void {
    if (number === this.trace.peek()?.number) {
      this.number.value = number;
      this.goto(step);
      return;
    }
    this.wanted = step;
    this.number.value = number;
  }

  /** Opens a counterexample and moves to it. */
  show(number: number): void {
    this.open(number);
    this.shown.value += 1;
  }

  goto(step: number): void {
    const last = (this.trace.peek()?.length ?? 1) - 1;
    this.step.value = Math.max(0, Math.min(step, last));
  }

  /** The next counterexample of those that are shown, or the one before. */
  next(by: 1 | -1): void {
    const shown = this.kinds.peek().flatMap((each) => each.members);
    const at = shown.indexOf(this.number.peek() ?? -1);
    const number = shown[at < 0 ? 0 : at + by];
    if (number !== undefined) this.open(number);
  }

  /** The next step, or the one before, that changes the followed path, a pin, or anything. */
  change(by: 1 | -1): void {
    const trace = this.trace.peek();
    if (!trace) return;
    const followed = this.path.peek() ?? this.pins.peek().map(pathOf)[0];
    const writes = followed ? trace.writes(followed) : [...Array(trace.length).keys()].slice(1);
    const step = this.step.peek();
    const goal = by > 0 ? writes.find((each) => each > step) : writes.findLast((each) => each < step);
    if (goal !== undefined) this.goto(goal);
  }

  pin(path: readonly string[]): void {
    const text = pathKey(path);
    const pins = this.pins.peek();
    this.pins.value = pins.includes(text) ? pins.filter((each) => each !== text) : [...pins, text];
  }

  hide(path: readonly string[]): void {
    const text = pathKey(path);
    const hidden = this.hidden.peek();
    this.hidden.value = hidden.includes(text) ? hidden.filter((each) => each !== text) : [...hidden, text];
  }

  toggle(path: readonly string[]): void {
    const text = pathKey(path);
    const opened = new Set(this.opened.peek());
    if (!opened.delete(text)) opened.add(text);
    this.opened.value = opened;
  }

  addRow(number: number, row: Evaluated): void {
    const others = (this.rows.peek().get(number) ?? []).filter((each) => each.text !== row.text || each.place !== row.place);
    this.rows.value = new Map([...this.rows.peek(), [number, [...others, row]]]);
  }

  removeExpression(text: string): void {
    batch(() => {
      this.expressions.value = this.expressions.peek().filter((each) => each !== text);
      this.rows.value = new Map([...this.rows.peek()].map(([number, rows]) => [number, rows.filter((each) => each.text !== text || each.place)]));
    });
  }

  /** An action with its arguments, as far as they are known. */
  action(trace: Trace, at: number): string {
    return this.named.value.get(traceKey(trace))?.[at] ?? trace.action(at);
  }
}

/** An expression or a conjunct with its value in each state. */
export interface Evaluated {
  text: string;
  place: string;
  values: readonly string[];
  depth?: number;
}

export const traceKey = (trace: Trace) => String(trace.number);

/** A path as one text that can be taken apart again. */
export const pathKey = (path: readonly string[]) => JSON.stringify(path);
export const pathOf = (key: string) => JSON.parse(key) as string[];
