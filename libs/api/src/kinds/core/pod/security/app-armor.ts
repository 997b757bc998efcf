import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { PodAnnotationKeys } from "../annotation-keys.js";
import { type Container, containersOf, type Pod, type PodSpec } from "../types.js";
import { isAppArmorProfile } from "./security.js";
import type { Profile } from "./security-types.js";

/**
 * AppArmor profiles stood in annotations before they had fields. A new pod gets whichever of the two it lacks, so
 * that nodes of either age find it.
 */
const local = "localhost/";

/** What is wrong with an annotation's value. */
export function appArmorTextProblems(text: string): readonly string[] {
  const known = ["", "runtime/default", "unconfined"].includes(text) || text.startsWith(local);
  return known ? [] : [`invalid AppArmor profile name: ${JSON.stringify(text)}`];
}

function textOf({ type, localhostProfile = "" }: Profile): string {
  if (type === "Unconfined") return "unconfined";
  if (type === "RuntimeDefault") return "runtime/default";
  return type === "Localhost" && localhostProfile !== "" ? `${local}${localhostProfile}` : "";
}

function profileOf(text: string): Profile | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  const profile = { type: "Localhost", localhostProfile: text.slice(local.length) };
  return text.startsWith(local) && isAppArmorProfile(profile) ? profile : undefined;
}

const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** A new pod with each container's profile in its field and in its annotation. */
export function withAppArmor(pod: Pod, keys: PodAnnotationKeys): Pod {
  const { spec = {} } = pod;
  if (spec.os?.name === "windows") return pod;
  const annotations: Record<string, string> = {};
  const containers = (list: readonly Container[]) =>
    list.map((container) => {
      const key = keys.appArmor + (container.name ?? "");
      const annotation = pod.metadata.annotations?.[key];
      const own = container.securityContext?.appArmorProfile;
      if (annotation === undefined) {
        const text = textOf(own ?? spec.securityContext?.appArmorProfile ?? {});
        if (text !== "") annotations[key] = text;
        return container;
      }
      return own === undefined ? withProfile(container, profileOf(annotation), spec) : container;
    });
  const filled = lists.flatMap((name) => (spec[name] === undefined ? [] : [[name, containers(spec[name])] as const]));
  const changed = filled.some(([name, list]) => list.some((c, i) => c !== spec[name]?.[i]));
  const noted = Object.keys(annotations).length > 0;
  return {
    ...pod,
    ...(changed ? { spec: { ...spec, ...Object.fromEntries(filled) } } : {}),
    ...(noted ? { metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } } } : {}),
  };
}

function withProfile(container: Container, profile: Profile | undefined, spec: PodSpec): Container {
  if (profile === undefined || equalJson(profile, spec.securityContext?.appArmorProfile)) return container;
  return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
}

/** Where a new pod says it both ways, it says the same. */
export function validateAppArmorMatch(pod: Pod, keys: PodAnnotationKeys): FieldError[] {
  const { spec = {} } = pod;
  if (spec.os?.name === "windows") return [];
  return containersOf(spec, lists).flatMap(({ container, at }) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = pod.metadata.annotations?.[keys.appArmor + (container.name ?? "")];
    if (profile === undefined || annotation === undefined || annotation === textOf(profile)) return [];
    const place = `spec.${at}.securityContext.appArmorProfile`;
    const otherProfile = profile.type === "Localhost" && annotation.startsWith(local);
    return otherProfile
      ? [fieldError.forbidden(`${place}.localhostProfile`, "apparmor profile in annotation and field must match")]
      : [fieldError.forbidden(`${place}.type`, "apparmor type in annotation and field must match")];
  });
}

/** The annotations of a new pod of which a field is made, or that say nothing a field could: what is to be used is the field. */
export function lostAppArmor({ metadata, spec = {} }: Pod, keys: PodAnnotationKeys): readonly string[] {
  const { annotations = {} } = metadata;
  if (spec.os?.name === "windows") return [];
  return containersOf(spec, lists).flatMap(({ container }) => {
    const key = keys.appArmor + (container.name ?? "");
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (text === undefined || container.securityContext?.appArmorProfile !== undefined) return [];
    return equalJson(profileOf(text), spec.securityContext?.appArmorProfile) && profileOf(text) !== undefined
      ? []
      : [key];
  });
}
