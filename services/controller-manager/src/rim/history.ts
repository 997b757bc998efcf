import type { Client } from "@orch/client/client.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { ApiError } from "@orch/status/api-error.js";
import { templateHash } from "../deployments/template-hash.js";
import { compareText, controllerOf, type Kind, referenceTo, type Seen } from "./objects.js";
import type { PodTemplate } from "./pod-control.js";
import { sameJson } from "./same-json.js";

/** A template that an owner's pods were or are made of. */
export interface ControllerRevision extends Seen {
  readonly revision?: number;
  readonly data?: { readonly spec?: { readonly template?: PodTemplate & { readonly $patch?: string } } };
}

/** Label that tells which revision an object is made of. */
export const revisionLabel = "controller-revision-hash";

/** Oldest first. */
export function sortedRevisions(revisions: Iterable<ControllerRevision>): readonly ControllerRevision[] {
  const number = ({ revision = 0 }: ControllerRevision): number => revision;
  return [...revisions].sort(
    (a, b) => number(a) - number(b) || compareText(a.metadata.name ?? "", b.metadata.name ?? ""),
  );
}

const dataOf = (template: PodTemplate) => ({ spec: { template: { ...template, $patch: "replace" } } });

export function isOfTemplate({ data }: ControllerRevision, template: PodTemplate): boolean {
  return sameJson(data, dataOf(template));
}

/** Revisions that say what a newer one says, which then stands for them; `history` oldest first. */
export function duplicatesIn(
  history: readonly ControllerRevision[],
  template: PodTemplate,
): { readonly kept: ControllerRevision; readonly others: readonly ControllerRevision[] } | undefined {
  const equal = history.filter((each) => isOfTemplate(each, template));
  const kept = equal.at(-1);
  return kept === undefined || equal.length === 1 ? undefined : { kept, others: equal.slice(0, -1) };
}

export type RevisionPlan =
  | { readonly type: "there"; readonly revision: ControllerRevision }
  /** A template of before is the newest again. */
  | { readonly type: "renumber"; readonly revision: ControllerRevision }
  | { readonly type: "create"; readonly revision: ControllerRevision & ApiObject };

/** What the history of an owner needs for its template to be the newest; `history` oldest first. */
export function planRevision(
  owner: ApiObject,
  {
    kind,
    template,
    history,
    collisionCount,
    hashLabel,
  }: {
    readonly kind: Kind;
    readonly template: PodTemplate;
    readonly history: readonly ControllerRevision[];
    readonly collisionCount: number | undefined;
    /** Label of a revision that has the hash in its name. */
    readonly hashLabel: string;
  },
): RevisionPlan {
  const equal = history.findLast((each) => isOfTemplate(each, template));
  const next = (history.at(-1)?.revision ?? 0) + 1;
  if (equal !== undefined && equal === history.at(-1)) return { type: "there", revision: equal };
  if (equal !== undefined) return { type: "renumber", revision: { ...equal, revision: next } };
  const hash = templateHash(template, collisionCount);
  const { name = "", namespace = "", annotations } = owner.metadata;
  const metadata = {
    ...{ name: `${name.slice(0, 223)}-${hash}`, namespace },
    labels: { ...template.metadata?.labels, [hashLabel]: hash },
    ...(annotations === undefined ? {} : { annotations }),
    ownerReferences: [referenceTo(kind, owner)],
  };
  const revision = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata,
    data: dataOf(template),
    revision: next,
  };
  return { type: "create", revision };
}

const revisionsIn = ({ metadata }: ApiObject) => ({
  ...{ group: "apps", version: "v1", resource: "controllerrevisions" },
  namespace: metadata.namespace ?? "",
});

/** The newest revision as it is stored; `collided`: its name stands for another template. @throws ApiError */
export async function carryOutRevision(
  client: Pick<Client, "create" | "update" | "get">,
  owner: ApiObject,
  plan: RevisionPlan,
  signal: AbortSignal,
): Promise<{ readonly revision: ControllerRevision } | { readonly collided: true }> {
  const { revision } = plan;
  if (plan.type === "there") return { revision };
  const words = { apiVersion: "apps/v1", kind: "ControllerRevision" };
  if (plan.type === "renumber") {
    return { revision: await client.update(revisionsIn(owner), { ...revision, ...words }, { signal }) };
  }
  try {
    return { revision: await client.create(revisionsIn(owner), revision, { signal }) };
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    const there: ControllerRevision = await client.get(revisionsIn(owner), revision.metadata.name ?? "", { signal });
    const isSame = controllerOf(there)?.uid === owner.metadata.uid && sameJson(there.data, revision.data);
    return isSame ? { revision: there } : { collided: true };
  }
}

/** Those that nothing is made of any more, beyond the limit; `history` oldest first. */
export function pastRevisions(
  history: readonly ControllerRevision[],
  { live, limit }: { readonly live: ReadonlySet<string>; readonly limit: number },
): readonly ControllerRevision[] {
  const dead = history.filter(({ metadata }) => !live.has(metadata.name ?? ""));
  return dead.slice(0, Math.max(0, dead.length - limit));
}

export async function deleteRevisions(
  client: Pick<Client, "delete">,
  owner: ApiObject,
  past: readonly ControllerRevision[],
  signal: AbortSignal,
): Promise<void> {
  for (const { metadata } of past) {
    const { name = "", uid = "" } = metadata;
    await client.delete(revisionsIn(owner), name, { preconditions: { uid }, signal }).catch(unlessPast);
  }
}
