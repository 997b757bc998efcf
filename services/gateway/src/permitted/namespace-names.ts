import type { AnyObject } from "@orch/api/object.js";
import type { Following, ObjectSource } from "@orch/auth/object-source.js";
import { within } from "@orch/auth/within.js";
import { type ApiError, unavailable } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";

/** The names of the namespaces that there are. */
export interface NamespaceNames {
  /** Follows them from the first question on. @throws ApiError ServiceUnavailable while they are not known */
  all(): Promise<ReadonlySet<string>>;
  stop(): void;
}

/** How long a question waits for them, in milliseconds. */
const loadMs = 5000;
const late = (): ApiError => unavailable("the namespaces are not known yet");

export function createNamespaceNames(objects: ObjectSource, { after }: Pick<Clock, "after">): NamespaceNames {
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
      await within(loaded, loadMs, { after, late });
      return names;
    },
    stop: () => following?.stop(),
  };
}
