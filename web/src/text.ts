// Words and numbers as text.

export const plural = (count: number, noun: string) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;

/** ``4 to 16 states``. */
export const lengths = (low: number, high: number) => (low === high ? plural(low, "state") : `${low} to ${plural(high, "state")}`);

/** Numbers with runs shortened: ``3, 5-9``. */
export function runs(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const each of [...numbers].sort((one, other) => one - other)) {
    const last = parts.at(-1);
    if (last && last[1] === each - 1) last[1] = each;
    else parts.push([each, each]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

/** Actions with runs folded: ``Grant > Tick x3 > Grant``. */
export function folded(actions: readonly string[]): string {
  const parts: [string, number][] = [];
  for (const each of actions) {
    const last = parts.at(-1);
    if (last && last[0] === each) last[1] += 1;
    else parts.push([each, 1]);
  }
  return parts.map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(" > ");
}

/** A number of a run, in the unit of its column. */
export function shown(column: string, value: number | null): string {
  if (value === null) return "-";
  const [number, digits] = column === "peak_memory_bytes" ? [value / 2 ** 20, 0] : [value, column === "wall_seconds" ? 1 : 0];
  return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** What a sentence applies to, as ``yes``, ``no`` or ``2 of 3``. */
export const shareText = ([some, all]: readonly [number, number]) =>
  all === 0 ? "-" : some === 0 ? "no" : some === all ? "yes" : `${some} of ${all}`;

export const TITLES: Record<string, string> = {
  verdict: "verdict",
  trace_length: "trace length",
  generated: "generated",
  distinct: "distinct",
  depth: "depth",
  wall_seconds: "seconds",
  peak_memory_bytes: "MiB",
};
