import { validateFinalizer } from "@orch/schema/object-meta.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: object;
}

export const namespace = behavior<Namespace>((naming) => {
  const nameLabel = naming.key("metadata.name");
  const labelled = (object: Namespace): Namespace => {
    const { name, labels } = object.metadata;
    if (name === undefined || labels?.[nameLabel] === name) return object;
    return { ...object, metadata: { ...object.metadata, labels: { ...labels, [nameLabel]: name } } };
  };
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
    validate: (object) =>
      (object.spec?.finalizers ?? []).flatMap((name, i) =>
        validateFinalizer(name, `spec.finalizers[${i}]`, [naming.namespaceFinalizer]),
      ),
  };
});
