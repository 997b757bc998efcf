import { equalJson } from "@orch/schema/equal.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Part } from "../../../behavior.js";
import { noFeatures } from "../../../features.js";
import type { PodAnnotationKeys } from "./annotation-keys.js";
import { withoutDisabledFields } from "./dropped-fields.js";
import { validateMetadataUpdate } from "./status.js";
import type { Pod, PodSpec } from "./types.js";

/** Containers for debugging are added to a pod that is there; what was added stays. */
export function ephemeralContainersPart(keys: PodAnnotationKeys): Part<Pod> {
  return {
    whole: true,
    changes: ["spec.ephemeralContainers"],
    prepare: (object, old, { features = noFeatures }) => {
      const { ephemeralContainers: _, ...spec } = old.spec ?? {};
      const { ephemeralContainers: given } = object.spec ?? {};
      const asked: PodSpec = given === undefined ? {} : { ephemeralContainers: given };
      const added = withoutDisabledFields(asked, old.spec, features).ephemeralContainers;
      return withStoredMeta(
        { ...old, spec: { ...spec, ...(added === undefined ? {} : { ephemeralContainers: added }) } },
        object,
      );
    },
    validate: (object, old) => {
      if (old.metadata.annotations?.[keys.mirror] !== undefined) {
        return [fieldError.forbidden("", "static pods do not support ephemeral containers")];
      }
      return [...validateMetadataUpdate(object, old, keys), ...validateAdditions(object, old)];
    },
  };
}

/** The stored metadata with what the request says of the write itself. */
export function withStoredMeta(stored: Pod, given: Pod): Pod {
  const { name, namespace, uid, resourceVersion, managedFields } = given.metadata;
  const own = { name, namespace, uid, resourceVersion, managedFields };
  const told = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return { ...stored, metadata: { ...stored.metadata, ...told } };
}

// Line ends as in the reference, which dumps the difference behind the second.
function validateAdditions({ spec = {} }: Pod, old: Pod): FieldError[] {
  const containers = new Map((spec.ephemeralContainers ?? []).map((c) => [c.name, c]));
  return (old.spec?.ephemeralContainers ?? []).flatMap((before) => {
    const container = containers.get(before.name);
    const wrong = (what: string) => [
      fieldError.forbidden(
        "spec.ephemeralContainers",
        `existing ephemeral containers ${JSON.stringify(before.name ?? "")} may not be ${what}\n`,
      ),
    ];
    if (container === undefined) return wrong("removed");
    return equalJson(container, before) ? [] : wrong("changed");
  });
}
