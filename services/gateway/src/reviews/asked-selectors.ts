import type { AskedRequirement, AskedSelector } from "@orch/api/kinds/authorization/types.js";
import { type FieldTerm, formatFieldSelector, parseFieldTerms } from "@orch/api/selectors/fields.js";
import {
  compileRequirements,
  formatLabelSelector,
  parseLabelSelector,
  type Requirement,
  SelectorError,
} from "@orch/api/selectors/labels.js";

/** A selector as an authorizer is told it. */
export interface ToldSelector {
  /** As a query would have it; "" where it selects nothing. */
  readonly text: string;
  /** How much of what was asked is not in it. Less of a selector asks for more, so that this is safe. */
  readonly left: "nothing" | "some" | "all";
}

const unreadable: ToldSelector = { text: "", left: "all" };

/** Of a selector that was validated: either its text or its requirements. */
export function toldFieldSelector({ rawSelector = "", requirements = [] }: AskedSelector): ToldSelector {
  if (rawSelector === "") return told(requirements, fieldTerm, (terms) => formatFieldSelector({ terms }));
  return readable(() => formatFieldSelector({ terms: parseFieldTerms(rawSelector) }));
}

/** Of a selector that was validated. */
export function toldLabelSelector({ rawSelector = "", requirements = [] }: AskedSelector): ToldSelector {
  if (rawSelector === "") return told(requirements, labelRequirement, (all) => formatted(all));
  return readable(() => formatLabelSelector(parseLabelSelector(rawSelector)));
}

const formatted = (all: readonly Requirement[]): string => formatLabelSelector(compileRequirements(all));

function readable(read: () => string): ToldSelector {
  try {
    return { text: read(), left: "nothing" };
  } catch (error) {
    if (error instanceof SelectorError) return unreadable;
    throw error;
  }
}

function told<T>(
  asked: readonly AskedRequirement[],
  read: (requirement: AskedRequirement) => T | undefined,
  text: (all: readonly T[]) => string,
): ToldSelector {
  const all = asked.flatMap((requirement) => read(requirement) ?? []);
  if (all.length === 0) return unreadable;
  return { text: text(all), left: all.length < asked.length ? "some" : "nothing" };
}

/** Fields are compared with one value and nothing else. */
function fieldTerm({ key = "", operator, values = [] }: AskedRequirement): FieldTerm | undefined {
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined;
  if (operator === "In") return { field: key, operator: "=", value };
  return operator === "NotIn" ? { field: key, operator: "!=", value } : undefined;
}

const labelOperators: ReadonlyMap<string, Requirement["operator"]> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function labelRequirement({ key = "", operator = "", values = [] }: AskedRequirement): Requirement | undefined {
  const known = labelOperators.get(operator);
  return known === undefined ? undefined : { key, operator: known, values: [...new Set(values)].sort() };
}
