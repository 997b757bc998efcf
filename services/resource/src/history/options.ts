import { badRequest } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";

/** What may stand in the query of each question about the past; `pretty` and `timeout` may in all. */
const known = {
  history: ["diff", "includeObject"],
  deleted: ["limit", "continue", "includeObject"],
  reseal: ["limit", "continue"],
  at: ["at", "includeObject"],
  listAt: ["at", "limit", "continue", "labelSelector", "fieldSelector", "includeObject"],
} as const;

const always: readonly string[] = ["pretty", "timeout"];

/** An unknown one is refused: passed over, it would ask for something else than its client meant. @throws ApiError BadRequest */
export function checkOptions(options: Readonly<Record<string, string>>, question: keyof typeof known): void {
  const names: readonly string[] = known[question];
  const other = Object.keys(options).find((name) => !names.includes(name) && !always.includes(name));
  if (other === undefined) return;
  const all = [...names.filter((name) => name !== "includeObject"), ...always].join(", ");
  throw badRequest(`${JSON.stringify(cut(other, 100))}: unknown in a question about the past: known are ${all}`);
}
