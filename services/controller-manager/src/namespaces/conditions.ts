import { type ApiObject, isRecord } from "@orch/client/objects.js";

/** What stands in the way of a namespace's removal, as one round of emptying it found. */
export interface Findings {
  /** Why not everything that is served could be learned; undefined where it could. */
  readonly discoveryFailure: string | undefined;
  /** Group-versions that make no sense. */
  readonly parsingFailure: string | undefined;
  /** Resources whose content could not be deleted: why, each. */
  readonly contentFailures: readonly string[];
  /** `pods.` or `deployments.apps` → objects that are still there. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Finalizer → objects that it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** `product` is its name in sentences. */
export function conditionsOf(findings: Findings, product: string): readonly Condition[] {
  const { discoveryFailure, parsingFailure, contentFailures, remaining, finalizers } = findings;
  const failures = [...contentFailures].sort().join(", ");
  return [
    condition("NamespaceDeletionDiscoveryFailure", {
      found: discoveryFailure,
      reason: "DiscoveryFailed",
      well: ["ResourcesDiscovered", "All resources successfully discovered"],
    }),
    condition("NamespaceDeletionGroupVersionParsingFailure", {
      found: parsingFailure,
      reason: "GroupVersionParsingFailed",
      well: ["ParsedGroupVersions", `All legacy ${product} types successfully parsed`],
    }),
    condition("NamespaceDeletionContentFailure", {
      found:
        contentFailures.length === 0
          ? undefined
          : `Failed to delete all resource types, ${contentFailures.length} remaining: ${failures}`,
      reason: "ContentDeletionFailed",
      well: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    }),
    condition("NamespaceContentRemaining", {
      found: counted(remaining, "Some resources are remaining: ", (n) => `has ${n} resource instances`),
      reason: "SomeResourcesRemain",
      well: ["ContentRemoved", "All content successfully removed"],
    }),
    condition("NamespaceFinalizersRemaining", {
      found: counted(
        finalizers,
        "Some content in the namespace has finalizers remaining: ",
        (n) => `in ${n} resource instances`,
      ),
      reason: "SomeFinalizersRemain",
      well: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    }),
  ];
}

function condition(
  type: string,
  { found, reason, well }: { found: string | undefined; reason: string; well: readonly [string, string] },
): Condition {
  if (found !== undefined) return { type, status: "True", reason, message: found };
  return { type, status: "False", reason: well[0], message: well[1] };
}

/** In a fixed order, so that what has not changed reads the same. */
function counted(counts: ReadonlyMap<string, number>, before: string, say: (n: number) => string): string | undefined {
  if (counts.size === 0) return undefined;
  return (
    before +
    [...counts]
      .map(([name, n]) => `${name} ${say(n)}`)
      .sort()
      .join(", ")
  );
}

/** The namespace with these conditions in its status; undefined where it says all of it already. */
export function withConditions(
  namespace: ApiObject,
  conditions: readonly Condition[],
  now: string,
): ApiObject | undefined {
  const status = isRecord(namespace["status"]) ? namespace["status"] : {};
  const listed: unknown = status["conditions"];
  const before: readonly unknown[] = Array.isArray(listed) ? listed : [];
  let changed = false;
  const next: unknown[] = [...before];
  for (const wanted of conditions) {
    const at = before.findIndex((c) => isRecord(c) && c["type"] === wanted.type);
    const old = before[at];
    if (!isRecord(old)) {
      next.push({ ...wanted, lastTransitionTime: now });
      changed = true;
      continue;
    }
    const same = old["status"] === wanted.status;
    if (same && old["reason"] === wanted.reason && old["message"] === wanted.message) continue;
    next[at] = { ...old, ...wanted, lastTransitionTime: same ? old["lastTransitionTime"] : now };
    changed = true;
  }
  return changed ? { ...namespace, status: { ...status, conditions: next } } : undefined;
}
