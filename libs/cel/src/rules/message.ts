import type { Variables } from "../compile/frame.js";
import type { CompiledRule } from "./compile.js";

/** What is said of a broken rule, and what is left of the budget then; negative: nothing more is run. */
export interface RuleMessage {
  readonly text: string;
  readonly left: number;
}

const longestMessage = 5120;
const overBudget =
  "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";

/** The text that the rule's expression gives; the rule's own where it gives none that can be shown. */
export function messageOf({ rule, message }: CompiledRule, variables: Variables, left: number): RuleMessage {
  const fixed = rule.message ?? "";
  const own = fixed === "" ? `failed rule: ${(rule.rule ?? "").trim()}` : fixed.trim();
  if (message === undefined) return { text: own, left };
  const outcome = message.run(variables);
  if (outcome.cost > left) return { text: overBudget, left: -1 };
  const after = left - outcome.cost;
  if (!outcome.ok && outcome.cancelled) {
    const which = JSON.stringify(rule.messageExpression ?? "");
    const text = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${which}`;
    return { text, left: -1 };
  }
  const made = outcome.ok && typeof outcome.value === "string" ? outcome.value.trim() : "";
  return { text: isShown(made) ? made : own, left: after };
}

function isShown(text: string): boolean {
  if (text === "" || text.includes("\n") || text.includes("\r")) return false;
  return Buffer.byteLength(text) <= longestMessage;
}
