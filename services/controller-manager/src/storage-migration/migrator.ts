import { identityOnly } from "@orch/client/metadata-only.js";
import { migrateCollection } from "@orch/client/migrate.js";
import { migrateRecords } from "@orch/client/migrate-records.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";

const name = "storage-version-migrator-controller";
/** One at a time: each writes as fast as the server takes it. */
const workers = 1;

type ConditionType = "Running" | "Succeeded" | "Failed";

interface Condition {
  readonly type: ConditionType;
  readonly status: "True" | "False";
  readonly lastUpdateTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Migration extends ApiObject {
  readonly spec?: {
    readonly resource?: { readonly group?: string; readonly version?: string; readonly resource?: string };
    readonly continueToken?: string;
  };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly resourceVersion?: string };
}

/** Has the objects of a resource stored anew for each StorageVersionMigration, once. */
export function createStorageMigrator(tools: ControllerTools): Controller {
  const { mirror, clock, telemetry } = tools;
  const tell = failureTeller(tools, name);
  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers,
        work: (migration, working) => migrate(migration, tools, working),
        clock,
        observer: telemetry.queue("storage_version_migrator"),
        onError: (error, migration) => tell(error, { migration }),
      });
      const look = ({ metadata, ...rest }: Migration): void => {
        if (!isOver({ metadata, ...rest })) queue.add(metadata.name ?? "");
      };
      const migrations = mirror.view({
        collection: migrationsOf(tools),
        sees: "objects",
        keep: identityOnly,
        handlers: { added: look },
        onError: tell,
      });
      await Promise.all([migrations.run(signal), queue.run(signal)]);
    },
  };
}

function migrationsOf({ naming }: Pick<ControllerTools, "naming">): Collection {
  return { group: naming.group("storagemigration"), version: "v1alpha1", resource: "storageversionmigrations" };
}

function isOver({ status }: Migration): boolean {
  return (status?.conditions ?? []).some(({ type, status }) => type !== "Running" && status === "True");
}

/** A migration that was broken off begins anew: what is stored anew already is left alone. */
async function migrate(migration: string, tools: ControllerTools, signal: AbortSignal): Promise<Outcome> {
  const { client, naming } = tools;
  const found = await newest(migration, tools, signal);
  if (found === undefined || isOver(found)) return "done";
  const { resource: named = {}, continueToken = "" } = found.spec ?? {};
  const { group = "", version = "", resource = "" } = named;
  const collection = { group, version, resource };
  let running: Migration;
  try {
    const { resourceVersion } = await client.list(collection, { limit: 1, signal });
    running = await say(found, condition("Running", "StorageVersionMigrationInProgress"), {
      ...{ tools, signal, resourceVersion },
    });
    await migrateCollection(client, collection, { naming, from: continueToken, signal });
    await migrateRecords(client, collection, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError && passing.has(error.reason)) throw error;
    const latest = await newest(migration, tools, signal);
    const failed = condition("Failed", "StorageVersionMigrationFailed", messageOf(error));
    if (latest !== undefined) await say(latest, failed, { tools, signal });
    return "done";
  }
  await say(running, condition("Succeeded", "StorageVersionMigrationSucceeded"), { tools, signal });
  return "done";
}

/** By a list: the controller has no right to get them. Undefined where there is none any more. */
async function newest(name: string, tools: ControllerTools, signal: AbortSignal): Promise<Migration | undefined> {
  const { items } = await tools.client.list(migrationsOf(tools), { fieldSelector: `metadata.name=${name}`, signal });
  return items[0];
}

/** What goes by itself: the migration is tried again. */
const passing: ReadonlySet<string> = new Set(["ServiceUnavailable", "Timeout", "ServerTimeout", "TooManyRequests"]);

const longestMessage = 1_000;

function condition(type: ConditionType, reason: string, message = ""): Condition {
  return { type, status: "True", reason, ...(message === "" ? {} : { message: message.slice(0, longestMessage) }) };
}

interface SayOptions {
  readonly tools: ControllerTools;
  readonly signal: AbortSignal;
  readonly resourceVersion?: string;
}

/** A condition goes into its status; it runs no more once there is an outcome. */
function say(
  migration: Migration,
  said: Condition,
  { tools, signal, resourceVersion }: SayOptions,
): Promise<ApiObject> {
  const { conditions = [], ...before } = migration.status ?? {};
  const kept = conditions.filter(({ type }) => type !== said.type);
  const others = said.type === "Running" ? kept : kept.map((one): Condition => ({ ...one, status: "False" }));
  const status = {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...before,
    conditions: [...others, { ...said, lastUpdateTime: wireTime(tools.clock.now()) }],
  };
  return tools.client.update(migrationsOf(tools), { ...migration, status }, { subresource: "status", signal });
}
