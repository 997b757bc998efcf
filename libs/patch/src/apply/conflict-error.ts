import { ApiError } from "@orch/status/api-error.js";
import { compareTexts, quoted } from "../fields/go-text.js";
import { showPathElement } from "../fields/path-element.js";
import type { Owner } from "./managers.js";
import type { Conflict } from "./take-over.js";

/** `"one"`, `"two" using apps/v1`, `"three" with subresource "status" using apps/v1` */
function showOwner({ manager, operation, apiVersion, subresource }: Owner): string {
  const part = subresource === "" ? "" : ` with subresource ${quoted(subresource)}`;
  return `${quoted(manager)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

function showPath({ path }: Conflict): string {
  return path.map(showPathElement).join("");
}

/** The 409 of an apply: a cause for each field, and a text that groups them by their owners. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const ordered = [...conflicts].sort((a, b) => compareTexts(a.id, b.id));
  const causes = ordered.map((conflict) => ({
    reason: "FieldManagerConflict" as const,
    message: `conflict with ${showOwner(conflict.owner)}`,
    field: showPath(conflict),
  }));
  return new ApiError("Conflict", messageOf(ordered), { details: { causes } });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first, second] = conflicts;
  if (first !== undefined && second === undefined) {
    return `Apply failed with 1 conflict: conflict with ${showOwner(first.owner)}: ${showPath(first)}`;
  }
  const lines = conflicts.flatMap((conflict, i) => [
    ...(conflicts[i - 1]?.id === conflict.id ? [] : [`conflicts with ${showOwner(conflict.owner)}:`]),
    `- ${showPath(conflict)}`,
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}
