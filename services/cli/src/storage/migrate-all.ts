import type { ApiResource } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http.js";
import { listAll } from "@orch/client/list-all.js";
import { migrateCollection } from "@orch/client/migrate.js";
import { isRecord } from "@orch/client/objects.js";
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
  readonly client: Pick<Client, "list" | "patch">;
  readonly naming: Naming;
  readonly progress: Progress;
  readonly keep: (progress: Progress) => void;
  readonly print: (text: string) => void;
}

/** One resource after the other; how many of them failed, of which each is told. */
export async function migrateAll(resources: readonly ApiResource[], deps: MigrateAllDeps): Promise<number> {
  const { client, naming, keep, print, progress } = deps;
  const done = new Set(progress.done);
  let failed = 0;
  let rewritten = 0;
  for (const each of resources) {
    const name = nameOf(each);
    if (done.has(name)) continue;
    const { group, version, resource } = each;
    const from = progress.now?.resource === name ? progress.now.from : "";
    try {
      const migrated = await migrateCollection(
        client,
        { group, version, resource },
        {
          naming,
          from,
          onPage({ next, done: { objects }, left }) {
            if (next === "") return;
            keep({ done: [...done], now: { resource: name, from: next } });
            print(`${name}: ${objects} so far${left === undefined ? "" : `, ${left} to go`}`);
          },
        },
      );
      done.add(name);
      keep({ done: [...done] });
      rewritten += migrated.rewritten;
      if (migrated.objects > 0) print(`${name}: ${migrated.objects} objects, ${migrated.rewritten} written anew`);
    } catch (error) {
      failed++;
      print(`${name}: failed: ${messageOf(error)}`);
    }
  }
  const rest = failed === 0 ? "" : `, ${failed} failed: run it again`;
  print(`${done.size} resources, ${rewritten} objects written anew${rest}`);
  return failed;
}
