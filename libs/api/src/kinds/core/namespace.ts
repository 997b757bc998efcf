import { validateFinalizer } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

export const namespace = behavior<Namespace>((naming) => {
  const nameLabel = naming.key("metadata.name");
  const labelled = (object: Namespace): Namespace => {
    const { name, labels } = object.metadata;
    if (name === undefined || labels?.[nameLabel] === name) return object;
    return { ...object, metadata: { ...object.metadata, labels: { ...labels, [nameLabel]: name } } };
  };
  const validateFinalizers = (object: Namespace): FieldError[] =>
    (object.spec?.finalizers ?? []).flatMap((name, i) =>
      validateFinalizer(name, `spec.finalizers[${i}]`, [naming.namespaceFinalizer]),
    );
  return {
    setDefaults: labelled,
    prepareForCreate: (object) => {
      const finalizers = object.spec?.finalizers ?? [];
      const own = naming.namespaceFinalizer;
      const all = finalizers.includes(own) ? finalizers : [...finalizers, own];
      return labelled({ ...object, spec: { ...object.spec, finalizers: all } });
    },
    // Only the finalize subresource changes the finalizers.
    prepareForUpdate: (object, old) => labelled({ ...object, spec: { ...object.spec, ...old.spec } }),
    validate: validateFinalizers,
    parts: {
      status: { validate: validatePhase },
      // The one way to change the finalizers.
      finalize: {
        changes: ["metadata", "spec.finalizers"],
        prepare: ({ metadata, spec }, old) => {
          const { finalizers: _, ...rest } = old.spec ?? {};
          const left = spec?.finalizers ?? [];
          return { ...old, metadata, spec: { ...rest, ...(left.length === 0 ? {} : { finalizers: left }) } };
        },
        validate: validateFinalizers,
      },
    },
  };
});

/** The phase says whether the namespace is being deleted, nothing else. */
function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const phase = status?.phase ?? "Active";
  const wanted = isDeleted ? "Terminating" : "Active";
  if (phase === wanted) return [];
  const when = isDeleted ? "is not empty" : "is empty";
  return [fieldError.invalid("status.Phase", phase, `may only be '${wanted}' if \`deletionTimestamp\` ${when}`)];
}
