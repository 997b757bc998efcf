import type { AnyObject } from "@orch/api/object.js";
import type { Following, ObjectSource } from "@orch/auth/object-source.js";

/** The names of the namespaces that there are. */
export interface NamespaceNames {
  /** Follows them from the first question on. */
  all(): Promise<ReadonlySet<string>>;
  stop(): void;
}

export function createNamespaceNames(objects: ObjectSource): NamespaceNames {
  const names = new Set<string>();
  let following: Following | undefined;
  let known: () => void = () => {};
  const loaded = new Promise<void>((resolve) => {
    known = resolve;
  });
  const nameOf = ({ metadata: { name = "" } }: AnyObject): string => name;
  return {
    async all() {
      following ??= objects.follow(
        { group: "", version: "v1", resource: "namespaces" },
        {
          replaced(all) {
            names.clear();
            for (const one of all) names.add(nameOf(one));
            known();
          },
          changed: (one) => void names.add(nameOf(one)),
          deleted: (one) => void names.delete(nameOf(one)),
        },
      );
      await loaded;
      return names;
    },
    stop: () => following?.stop(),
  };
}
