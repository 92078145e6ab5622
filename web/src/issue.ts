// What is shown as Markdown, for an issue.
import type { State } from "./state";
import { folded } from "./text";

const changeText = (path: string, before: string, after: string) =>
  before && after ? `${path}: ${before} -> ${after}` : before ? `${path} - ${before}` : `${path} + ${after}`;

export function issueText(state: State): string {
  const { overview } = state.store;
  const trace = state.trace.peek();
  const lines = [`**${overview.name}**: ${overview.summary}`, ""];
  for (const law of overview.laws)
    if (law.violated && (!trace || law.property === trace.row.name)) lines.push(`- \`${law.title}\`: ${law.law} (${law.support})`);
  if (!trace) return lines.join("\n");
  const kind = overview.kinds.coarse.find((each) => each.members.includes(trace.number));
  if (kind) {
    const steps = kind.backbone.map((name) => name + (kind.repeated.includes(name) ? "+" : "")).join(" > ");
    lines.push(`- kind: ${kind.members.length} counterexamples, ${steps}`);
  }
  const point = overview.points.point.indexOf(trace.row.points[0]!);
  const values = overview.parameters.flatMap((each, column) =>
    each.values.length > 1 ? [`${each.name} = ${each.values[overview.points.values[column]![point]!]}`] : [],
  );
  lines.push(`- shown: point ${trace.row.points[0]}, ${trace.length} states${values.length ? `, \`${values.join(", ")}\`` : ""}`, "");
  lines.push(folded(trace.row.actions), "");
  const last = trace.length - 1;
  lines.push(`Step ${last + 1}, ${trace.action(last)}:`, "", "```");
  for (const [path, before, after] of trace.steps.changes[last] ?? [])
    lines.push(changeText(trace.nodes.text(path), trace.nodes.text(before), trace.nodes.text(after)));
  lines.push("```");
  if (trace.steps.end) lines.push("", trace.steps.end);
  return lines.join("\n");
}
