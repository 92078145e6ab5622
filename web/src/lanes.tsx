// A counterexample by process, time going down, with the messages between them.
import { useSignal } from "@preact/signals";
import type { Trace } from "./data";
import type { State } from "./state";
import { useSeen } from "./window";

const LINE = 17;
const PAD = 6;
const HEAD = 30;
const CHAR = 7.2;
const WIDEST = 40;
const MOST_LINES = 6;
const GAP = 26;

export function Lanes({ state, trace }: { state: State; trace: Trace }) {
  const { lanes } = trace.steps;
  const lit = useSignal(-1);
  const [ref, seen] = useSeen<HTMLDivElement>();
  if (!lanes) return null;
  const { nodes } = trace;
  const titles = ["shared", ...lanes.processes];
  const cell = (row: number, lane: number): string[] => {
    const found = lane === 0 ? lanes.shared[row]! : (lanes.cells[row]!.find(([process]) => process === lane - 1)?.slice(1) ?? []);
    return found.map((each) => nodes.text(each));
  };
  const shared = lanes.shared.some((each) => each.length > 0) || lanes.messages.some(([, from, to]) => from < 0 !== to < 0);
  const used = titles.map((_, lane) => lane).filter((lane) => lane > 0 || shared);
  const x = new Map<number, [number, number]>();
  const cut = (text: string) => (text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text);
  const labels = Array.from({ length: trace.length }, (_, row) => cut(`${row + 1} ${trace.action(row)}`));
  // Wide enough for each label, so that none runs under a box.
  const start = Math.max(...labels.map((each) => each.length)) * CHAR + 2 * PAD + GAP;
  let at = start;
  for (const lane of used) {
    const longest = Math.max(4, titles[lane]!.length, ...lanes.shared.flatMap((_, row) => cell(row, lane).map((text) => text.length)));
    const width = Math.max(64, Math.min(longest, WIDEST) * CHAR + 2 * PAD);
    x.set(lane, [at, width]);
    at += width + GAP;
  }
  const y: [number, number][] = [];
  let down = HEAD;
  for (let row = 0; row < trace.length; row++) {
    const most = Math.max(1, ...used.map((lane) => Math.min(cell(row, lane).length, MOST_LINES)));
    y.push([down, most * LINE + 2 * PAD]);
    down += most * LINE + 2 * PAD + 8;
  }
  const middle = (lane: number) => {
    const [from, width] = x.get(lane) ?? [start, 0];
    return from + width / 2;
  };
  const shown = y.flatMap(([from, height], row) => (from + height >= seen.top - 300 && from <= seen.top + seen.height + 300 ? [row] : []));
  const inside = new Set(shown);
  return (
    <details class="x-lanes" open>
      <summary>{lanes.caption}</summary>
      <div ref={ref} class="x-scroll" tabIndex={0} role="region" aria-label="By process">
        <svg width={at} height={down} role="img" aria-label={`${trace.length} steps of ${lanes.processes.join(", ")}`}>
          {used.map((lane) => (
            <g key={lane}>
              <line x1={middle(lane)} x2={middle(lane)} y1={HEAD - 6} y2={down} class="x-lane" />
              <text x={middle(lane)} y={18} text-anchor="middle" class="x-title">
                {cut(titles[lane]!)}
              </text>
            </g>
          ))}
          {shown.map((row) => {
            const [top, height] = y[row]!;
            return (
              <g key={row} class={row === state.step.value ? "x-on" : ""} onClick={() => state.goto(row)}>
                <rect x={0} y={top} width={at} height={height} class="x-band" />
                <text x={8} y={top + LINE} class="x-action">
                  {labels[row]}
                  <title>{trace.action(row)}</title>
                </text>
                {used.map((lane) => {
                  const texts = cell(row, lane);
                  const who = lane > 0 && lanes.who[row]!.includes(lane - 1);
                  if (!texts.length && !who) return null;
                  const [from, width] = x.get(lane)!;
                  return (
                    <g key={lane}>
                      <rect x={from} y={top + 1} width={width} height={height - 2} rx={4} class={who ? "x-box x-who" : "x-box"} />
                      {texts.slice(0, MOST_LINES).map((text, line) => (
                        <text key={line} x={from + PAD} y={top + PAD + LINE * line + 12}>
                          {line === MOST_LINES - 1 && texts.length > MOST_LINES ? `and ${texts.length - line} more` : cut(text)}
                          <title>{line === MOST_LINES - 1 ? texts.slice(line).join("\n") : text}</title>
                        </text>
                      ))}
                    </g>
                  );
                })}
              </g>
            );
          })}
          {lanes.messages.map(([text, sender, receiver, sent, received, again], number) => {
            const end = received >= 0 ? received : sent;
            if ((sender < 0 && receiver < 0) || !(inside.has(sent) || inside.has(end))) return null;
            const [x1, x2] = [middle(sender + 1), middle(receiver + 1)];
            const y1 = y[sent]![0] + y[sent]![1] - 3;
            const lost = received < 0;
            const y2 = lost ? y1 + 16 : y[received]![0] + 4;
            const on = lit.value === number;
            return (
              <g
                key={number}
                class={`x-message${lost && again < 0 ? " x-lost" : ""}${on ? " x-lit" : ""}`}
                onPointerEnter={() => (lit.value = number)}
                onPointerLeave={() => (lit.value = -1)}
              >
                <title>
                  {nodes.text(text)}
                  {lost ? (again >= 0 ? `, received in the next round at state ${again + 1}` : ", not received") : ""}
                </title>
                <line x1={x1} y1={y1} x2={x2} y2={y2} class="x-wide-line" />
                <line x1={x1} y1={y1} x2={x2} y2={y2} marker-end="url(#x-arrow)" />
                {on && (
                  <text x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 4} text-anchor="middle">
                    {cut(nodes.text(text))}
                  </text>
                )}
              </g>
            );
          })}
          <defs>
            <marker id="x-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">
              <path d="M0 0 L8 4 L0 8 z" class="x-head-mark" />
            </marker>
          </defs>
        </svg>
      </div>
      {lanes.note && <p class="x-dim">{lanes.note}</p>}
    </details>
  );
}
