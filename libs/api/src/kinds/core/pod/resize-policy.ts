import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "../../shared/repeats.js";
import { oneOf } from "./errors.js";
import type { PodSpec, ResizePolicy } from "./types.js";

/** What a change of a resource does to the container; errors stand at the list, as in the reference. */
export function validateResizePolicy(
  policies: readonly ResizePolicy[] | undefined,
  { restartPolicy }: PodSpec,
  at: string,
): FieldError[] {
  const repeats = repeatsIn((policies ?? []).map((p) => p.resourceName));
  return (policies ?? []).flatMap((policy, i) => {
    const { resourceName = "", restartPolicy: restart = "" } = policy;
    return [
      ...(repeats.has(i) ? [fieldError.duplicate(`${at}[${i}]`, resourceName)] : []),
      ...(resourceName === "" ? [fieldError.required(at)] : oneOf(at, resourceName, ["cpu", "memory"])),
      ...(restart === "" ? [fieldError.required(at)] : oneOf(at, restart, ["NotRequired", "RestartContainer"])),
      ...(restartPolicy === "Never" && restart !== "NotRequired"
        ? [fieldError.invalid(at, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'")]
        : []),
    ];
  });
}
