import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import type { PodAnnotationKeys } from "./annotation-keys.js";
import { validateTolerations } from "./scheduling.js";
import { appArmorTextProblems } from "./security/app-armor.js";
import { namesIn, type PodSpec, type Toleration } from "./types.js";
import { localPath } from "./volume/mounts.js";

type Annotations = NonNullable<ObjectMeta["annotations"]>;

interface Place {
  readonly keys: PodAnnotationKeys;
  readonly at: string;
}

/** Annotations of a pod or of a template, next to its spec. */
export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, { keys, at }: Place): FieldError[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    const place = `${at}[${key}]`;
    if (key === keys.mirror) {
      const detail = "must set spec.nodeName if mirror pod annotation is set";
      return (spec.nodeName ?? "") === "" ? [fieldError.invalid(place, value, detail)] : [];
    }
    if (key === keys.deletionCost) {
      return isInt32(value) ? [] : [fieldError.invalid(place, value, "must be a 32bit integer")];
    }
    if (key === keys.tolerations) return validateTolerationsText(value, at, key);
    if (key === keys.seccompPod || key.startsWith(keys.seccompContainer))
      return validateSeccompText(value, `${at}.${key}`);
    return key.startsWith(keys.appArmor)
      ? validateAppArmor({ container: key.slice(keys.appArmor.length), value }, spec, place)
      : [];
  });
}

function isInt32(text: string): boolean {
  return /^(-\d+|0|[1-9]\d*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function validateTolerationsText(value: string, at: string, key: string): FieldError[] {
  if (value === "") return [];
  let parsed: unknown;
  try {
    parsed = readJson(value);
  } catch (cause) {
    return [fieldError.invalid(at, key, messageOf(cause))];
  }
  if (!Array.isArray(parsed)) return [fieldError.invalid(at, key, "must be a list of tolerations")];
  return validateTolerations(parsed.map(readToleration), `${at}.${key}`);
}

/** What of a parsed value is a toleration's. */
function readToleration(value: unknown): Toleration {
  const text = (name: string): string => {
    const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
    return typeof found === "string" ? found : "";
  };
  return { key: text("key"), operator: text("operator"), value: text("value"), effect: text("effect") };
}

function validateSeccompText(value: string, at: string): FieldError[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(value)) return [];
  if (value.startsWith("localhost/")) return localPath(at, value.slice("localhost/".length));
  return [fieldError.invalid(at, value, "must be a valid seccomp profile")];
}

function validateAppArmor(
  { container, value }: { readonly container: string; readonly value: string },
  spec: PodSpec,
  at: string,
): FieldError[] {
  const known = namesIn(spec).containers.has(container);
  return [
    ...(known ? [] : [fieldError.invalid(at, container, "container not found")]),
    ...appArmorTextProblems(value).map((problem) => fieldError.invalid(at, value, problem)),
  ];
}

/** Annotations that are as they were when the pod was made. */
export function validateAnnotationUpdates(
  annotations: Annotations,
  old: Annotations,
  { keys, at }: Place,
): FieldError[] {
  const frozen = (key: string): string | undefined =>
    key.startsWith(keys.appArmor) ? "AppArmor annotations" : key === keys.mirror ? "mirror pod annotation" : undefined;
  const changed = Object.keys(old).filter((key) => annotations[key] !== old[key]);
  const added = Object.keys(annotations).filter((key) => old[key] === undefined);
  const wrong = (names: readonly string[], verb: string) =>
    names.flatMap((key) => {
      const what = frozen(key);
      return what === undefined ? [] : [fieldError.forbidden(`${at}[${key}]`, `may not ${verb} ${what}`)];
    });
  return [...wrong(changed, "remove or update"), ...wrong(added, "add")];
}
