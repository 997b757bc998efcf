import type { Catalog, Priority } from "@orch/api/catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { type ApiService, nameOf } from "./api-service.js";

/** An APIService that a gateway makes for what it serves itself. */
export interface LocalService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  readonly mark: Mark;
}

/** The value of the label: of what is built in, and of what comes and goes with a definition. */
type Mark = "onstart" | "true";

/** What has to be written so that the cluster has the APIServices of this server. */
export interface Plan {
  readonly create: readonly LocalService[];
  readonly change: readonly { readonly from: ApiService; readonly to: LocalService }[];
  readonly remove: readonly ApiService[];
}

/** By this label an APIService belongs to the server; without it, it is a user's, whatever it says. */
export function markLabel(naming: Naming): string {
  return `${naming.systemName("aggregator")}.${naming.keyDomain}/automanaged`;
}

/** One for each group-version that is served, but for the one that APIServices themselves are of. */
export function localServices(catalog: Catalog, builtIn: Catalog): readonly LocalService[] {
  const own = catalog.naming.group("apiregistration");
  return catalog
    .groups()
    .filter(({ name }) => name !== own)
    .flatMap(({ name: group, versions }) =>
      versions.map((version) => ({
        ...{ name: nameOf(group, version), group, version },
        priority: catalog.priorityOf(group, version),
        mark: builtIn.kindsOf(group, version).length > 0 ? "onstart" : "true",
      })),
    );
}

/**
 * Compares what there should be with what there is. What is built in and not served any more goes with `isStart` only: a
 * gateway of another release may serve it.
 */
export function planFor(
  wanted: readonly LocalService[],
  present: ReadonlyMap<string, ApiService>,
  { label, isStart }: { readonly label: string; readonly isStart: boolean },
): Plan {
  const names = new Set(wanted.map(({ name }) => name));
  return {
    create: wanted.filter(({ name }) => !present.has(name)),
    change: wanted.flatMap((to) => {
      const from = present.get(to.name);
      return from === undefined || !isMarked(from, label) || isAs(from, to, label) ? [] : [{ from, to }];
    }),
    remove: [...present.values()].filter(
      (one) => !names.has(one.name) && (one.labels[label] === "true" || (isStart && one.labels[label] === "onstart")),
    ),
  };
}

function isMarked({ labels }: ApiService, label: string): boolean {
  return labels[label] === "true" || labels[label] === "onstart";
}

function isAs({ labels, priority, remote }: ApiService, to: LocalService, label: string): boolean {
  const same = priority.group === to.priority.group && priority.version === to.priority.version;
  return same && remote === undefined && labels[label] === to.mark;
}

/** The object of one that is not there. */
export function newObject({ name, group, version, priority, mark }: LocalService, label: string): object {
  return {
    metadata: { name, labels: { [label]: mark } },
    spec: { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version },
  };
}

/** What somebody has changed, as it was: for a merge patch. */
export function rightedFields({ priority, mark }: LocalService, label: string): object {
  return {
    metadata: { labels: { [label]: mark } },
    spec: {
      ...{ service: null, caBundle: null, insecureSkipTLSVerify: null },
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}
