import { ApiError } from "@orch/status/api-error.js";
import type { FieldError } from "@orch/status/field-error.js";
import { quoted } from "@orch/status/quoted.js";
import { shownCauses } from "@orch/status/shown-causes.js";
import { paths, sizeOf } from "../fields/field-set.js";
import { compareTexts } from "../fields/go-text.js";
import { showPathElement } from "../fields/path-element.js";
import type { Owner } from "./managers.js";
import type { Conflict } from "./take-over.js";

/** `"one"`, `"two" using apps/v1`, `"three" with subresource "status" using apps/v1` */
function showOwner({ manager, operation, apiVersion, subresource }: Owner): string {
  const part = subresource === "" ? "" : ` with subresource ${quoted(subresource)}`;
  return `${quoted(manager)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

/** A field that an owner has and another one wants. */
interface Contested extends FieldError {
  readonly reason: "FieldManagerConflict";
}

/** Owners in their order, and the fields of each; told one by one, since there may be more than anybody reads. */
function* contested(conflicts: readonly Conflict[]): Generator<Contested> {
  for (const { owner, fields } of conflicts) {
    const message = `conflict with ${showOwner(owner)}`;
    for (const path of paths(fields)) {
      yield { reason: "FieldManagerConflict", message, field: path.map(showPathElement).join("") };
    }
  }
}

/** The 409 of an apply: a cause for each field, and a text that groups them by their owners; of many the first. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const ordered = [...conflicts].sort((a, b) => compareTexts(a.id, b.id));
  const count = ordered.reduce((sum, { fields }) => sum + sizeOf(fields), 0);
  const { causes, more } = shownCauses(contested(ordered), count);
  const [only] = causes;
  const text =
    count === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${count} conflicts: ${linesOf(causes, more).join("\n")}`;
  return new ApiError("Conflict", text, { details: { causes } });
}

function linesOf(causes: readonly FieldError[], more: number): readonly string[] {
  const lines = causes.flatMap(({ message, field }, i) => [
    ...(causes[i - 1]?.message === message ? [] : [`${message.replace("conflict", "conflicts")}:`]),
    `- ${field}`,
  ]);
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
