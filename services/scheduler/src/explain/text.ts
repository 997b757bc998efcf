import type { ExplainedNode } from "@orch/scheduling/cycle/explain.js";
import { messageOf } from "@orch/scheduling/framework/status.js";
import type { ExplainedPod } from "./explain-pod.js";

/** An explanation for a person: what comes of it, then a line for each node, the best first. */
export function explanationText({ decision, explanation }: ExplainedPod): string {
  const { gate, before, nodes, error } = explanation;
  const lines = [outcomeText(decision)];
  if (gate !== undefined) lines.unshift(`is not tried yet: ${gate.plugin}: ${messageOf(gate)}`);
  if (before !== undefined) lines.push(`whatever the node: ${before.plugin}: ${messageOf(before)}`);
  if (error !== undefined) lines.push(`scores cannot be told: ${error}`);
  const sorted = nodes.toSorted((a, b) => (b.total ?? -1) - (a.total ?? -1) || (a.name < b.name ? -1 : 1));
  const rows = sorted.map((node) => [node.name, node.rejection === undefined ? "yes" : "no", whyOf(node)] as const);
  const width = Math.max("NODE".length, ...rows.map(([name]) => name.length));
  if (rows.length > 0) lines.push("", `${"NODE".padEnd(width)}  FITS  WHY`);
  for (const [name, fits, why] of rows) lines.push(`${name.padEnd(width)}  ${fits.padEnd(4)}  ${why}`);
  return lines.join("\n");
}

function outcomeText(decision: ExplainedPod["decision"]): string {
  switch (decision.outcome) {
    case "placed":
      return `would go to ${decision.node}: ${decision.feasible} of ${decision.evaluated} nodes that were looked at fit`;
    case "refused": {
      const { nomination, message } = decision;
      if (nomination === undefined) return message;
      const victims = nomination.victims.map(({ key }) => key).join(", ");
      return `${message}\nwould go to ${nomination.node} once these have made room: ${victims}`;
    }
    case "failed":
      return `cannot be decided: ${decision.message}`;
  }
}

function whyOf({ rejection, total = 0, scores }: ExplainedNode): string {
  if (rejection !== undefined) return `${rejection.plugin}: ${messageOf(rejection)}`;
  const parts = scores.map(({ plugin, normalized, weight }) => `${plugin} ${round(normalized)}×${weight}`);
  return `${round(total)}${parts.length === 0 ? "" : ` = ${parts.join(" + ")}`}`;
}

const round = (value: number): string => String(Math.round(value * 100) / 100);
