import { isDeepStrictEqual } from "node:util";
import type { Client } from "@orch/client/http/http.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { collectionOf, type Deletion, type Named, readDeleted, restore, titleOf } from "../past.js";
import { type Step, wantedOf } from "./plan.js";

export interface PerformDeps {
  readonly client: Client;
  readonly namespace: string;
  readonly dryRun: boolean;
  /** Told after each step. */
  readonly onStep: (done: number) => void;
}

/** How often a step is tried anew after somebody else changed what it does not touch: the status, for one. */
const mostTries = 5;

/** Takes one step after the other; gives a line for each that failed. */
export async function perform(steps: readonly Step[], deps: PerformDeps): Promise<readonly string[]> {
  const failures: string[] = [];
  const deletions = new Map<string, readonly Deletion[]>();
  for (const [i, step] of steps.entries()) {
    const of: Named = { resource: step.resource, namespace: deps.namespace, name: step.name };
    try {
      if (step.does === "create") await bringBack(step, of, { ...deps, deletions });
      else if (step.does === "change") await changeBack(step, of, deps);
      else await remove(step, of, deps);
    } catch (error) {
      failures.push(`${titleOf(of)}: ${messageOf(error)}`);
    }
    deps.onStep(i + 1);
  }
  return failures;
}

interface Bringing extends PerformDeps {
  /** Of each resource, read when one is needed. */
  readonly deletions: Map<string, readonly Deletion[]>;
}

/** As it was last, and where that is not as it was then, rolled back further. */
async function bringBack(
  { before }: Step,
  of: Named,
  { client, dryRun, deletions, namespace }: Bringing,
): Promise<void> {
  const key = `${of.resource.group}/${of.resource.resource}`;
  const gone = deletions.get(key) ?? (await readDeleted(client, { resource: of.resource, namespace }));
  deletions.set(key, gone);
  await restore(client, of, { how: "undelete", body: {}, dryRun });
  const last = gone.find(({ name }) => name === of.name);
  const wanted = before?.metadata.resourceVersion ?? "";
  if (dryRun || String(last?.lastRevision) === wanted) return;
  await restore(client, of, { how: "rollback", body: { revision: wanted } });
}

/** Only while it is what the plan showed, but for its status. */
async function changeBack({ before, after }: Step, of: Named, { client, dryRun }: PerformDeps): Promise<void> {
  let seen = after;
  for (let left = mostTries; ; left--) {
    const body = { revision: before?.metadata.resourceVersion, resourceVersion: seen?.metadata.resourceVersion };
    try {
      await restore(client, of, { how: "rollback", body, dryRun });
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.reason !== "Conflict") throw error;
      seen = await client.get(collectionOf(of), of.name);
      if (after === undefined || !isDeepStrictEqual(wantedOf(seen), wantedOf(after)))
        throw new ApiError("Conflict", "somebody changed it after the plan was made");
    }
  }
}

/** Only the one that the plan showed. */
async function remove({ after }: Step, of: Named, { client, dryRun }: PerformDeps): Promise<void> {
  const { uid } = after?.metadata ?? {};
  await client.delete(collectionOf(of), of.name, { dryRun, ...(uid === undefined ? {} : { preconditions: { uid } }) });
}
