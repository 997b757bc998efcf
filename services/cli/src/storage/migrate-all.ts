import type { ApiResource } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import { listAll } from "@orch/client/list-all.js";
import { migrateCollection } from "@orch/client/migrate.js";
import { migrateRecords } from "@orch/client/migrate-records.js";
import { type Collection, isRecord } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Progress } from "./progress.js";

export type Chosen =
  | { readonly ok: true; readonly value: readonly ApiResource[] }
  | { readonly ok: false; readonly problem: string };

export interface ChooseDeps {
  readonly client: Pick<Client, "list">;
  readonly naming: Naming;
  /** As a person names them; all where there are none. */
  readonly names: readonly string[];
}

/** What can be listed and patched and is stored here: servers of others store their own. */
export async function resourcesToMigrate(
  served: readonly ApiResource[],
  { client, naming, names }: ChooseDeps,
): Promise<Chosen> {
  const apiServices = { group: naming.group("apiregistration"), version: "v1", resource: "apiservices" };
  const { items } = await listAll(client, apiServices);
  const ofOthers = new Set(
    items.flatMap(({ metadata, spec }) => (isRecord(spec) && spec["service"] ? [metadata.name ?? ""] : [])),
  );
  const stored = served.filter(({ group, version, verbs, resource }) => {
    // Events are those of the core group, whichever group shows them.
    if (resource === "events" && group !== "") return false;
    return verbs.includes("list") && verbs.includes("patch") && !ofOthers.has(`${version}.${group}`);
  });
  if (names.length === 0) return { ok: true, value: stored };
  const value: ApiResource[] = [];
  for (const name of names) {
    const found = stored.find((each) => nameOf(each) === name);
    if (found === undefined) return { ok: false, problem: `the server stores no ${name}` };
    value.push(found);
  }
  return { ok: true, value };
}

const nameOf = ({ resource, group }: ApiResource): string => (group === "" ? resource : `${resource}.${group}`);

export interface MigrateAllDeps {
  readonly client: Pick<Client, "list" | "patch" | "raw">;
  readonly naming: Naming;
  readonly progress: Progress;
  readonly keep: (progress: Progress) => void;
  readonly print: (text: string) => void;
}

/** One resource after the other; how many of them failed, of which each is told. */
export async function migrateAll(resources: readonly ApiResource[], deps: MigrateAllDeps): Promise<number> {
  const { keep, print, progress } = deps;
  const done = new Set(progress.done);
  let failed = 0;
  let objects = 0;
  let records = 0;
  for (const each of resources) {
    const name = nameOf(each);
    if (done.has(name)) continue;
    const keepNow = (now: NonNullable<Progress["now"]>): void => keep({ done: [...done], now });
    const from = progress.now?.resource === name ? progress.now : undefined;
    try {
      if (from?.of !== "records") objects += await migrateObjects(each, { ...deps, from: from?.from ?? "", keepNow });
      records += await migratePast(each, { ...deps, from: from?.of === "records" ? from.from : "", keepNow });
      done.add(name);
      keep({ done: [...done] });
    } catch (error) {
      failed++;
      print(`${name}: failed: ${messageOf(error)}`);
    }
  }
  const past = records === 0 ? "" : ` and ${records} records of their past`;
  const rest = failed === 0 ? "" : `, ${failed} failed: run it again`;
  print(`${done.size} resources, ${objects} objects${past} written anew${rest}`);
  return failed;
}

interface PartDeps extends Pick<MigrateAllDeps, "client" | "naming" | "print"> {
  /** "" for the beginning. */
  readonly from: string;
  readonly keepNow: (now: NonNullable<Progress["now"]>) => void;
}

/** How many were written anew. */
async function migrateObjects(each: ApiResource, { client, naming, print, from, keepNow }: PartDeps): Promise<number> {
  const name = nameOf(each);
  const migrated = await migrateCollection(client, collectionOf(each), {
    naming,
    from,
    onPage({ next, done: { objects }, left }) {
      if (next === "") return;
      keepNow({ resource: name, from: next });
      print(`${name}: ${objects} so far${left === undefined ? "" : `, ${left} to go`}`);
    },
  });
  if (migrated.objects > 0) print(`${name}: ${migrated.objects} objects, ${migrated.rewritten} written anew`);
  return migrated.rewritten;
}

/** The same of the records of their past. */
async function migratePast(each: ApiResource, { client, print, from, keepNow }: PartDeps): Promise<number> {
  const name = nameOf(each);
  const migrated = await migrateRecords(client, collectionOf(each), {
    from,
    onStep({ next, done: { records } }) {
      if (next === "") return;
      keepNow({ resource: name, from: next, of: "records" });
      if (records >= toldFrom) print(`${name}: ${records} records of their past so far`);
    },
  });
  if (migrated === undefined || migrated.records === 0) return 0;
  const { records, rewritten, unreadable } = migrated;
  const lost = unreadable === 0 ? "" : `, ${unreadable} cannot be read and stay as they are`;
  print(`${name}: ${records} records of their past, ${rewritten} written anew${lost}`);
  return rewritten;
}

/** Few records are one step. */
const toldFrom = 500;

const collectionOf = ({ group, version, resource }: ApiResource): Collection => ({ group, version, resource });
