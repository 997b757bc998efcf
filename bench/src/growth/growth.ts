import { createNaming } from "@orch/naming/naming.js";
import { allGroups } from "./all-groups.js";
import { startHttpServer } from "./http-server.js";
import { catalogOfEverything, subjectsOf } from "./kinds.js";
import { report } from "./report.js";
import type { Group } from "./rows.js";
import { type Finding, search } from "./search.js";
import { startServer } from "./server.js";

export interface GrowthOptions {
  /** Parts of the names of kinds, `body`, `head` or `patch`; everything where empty. */
  readonly kinds: readonly string[];
  /** A part of the names of rows. */
  readonly row: string;
  /** KiB that the largest bodies come to, unless something looks wrong. */
  readonly kib: number;
}

/** Rows that are asked over the real port too: one of each way to be large. */
const overHttp = [
  "body json unknown fields Warn",
  "body json keys twice Strict",
  "body yaml keys Warn",
  "body cbor one key again and again",
  "body protobuf keys",
  "query labelSelector many equal",
  "query of many",
  "header accept of many",
  "v1.ConfigMap data distinct new",
  "v1.Pod spec.containers[].env distinct new",
] as const;

/** Looks at every place of every kind; false where something grows faster than it may, or nothing was looked at. */
export async function benchGrowth({ kinds, row, kib }: GrowthOptions): Promise<boolean> {
  const naming = createNaming("kubernetes");
  const catalog = catalogOfEverything(naming);
  const groups = [...selected(allGroups(subjectsOf(naming, catalog)), { kinds, row })];
  const options = { bytes: kib * 1024, ...progressOf(groups) };
  const server = await startServer(naming, catalog);
  const findings: Finding[] = [...(await search(server, groups, options))];
  const faults = server.faults;
  await server.stop();
  const asked = groups.reduce((sum, group) => sum + group.rows.length, 0);
  const left = asked - findings.length;
  const real = groups.filter((group) => overHttp.some((name) => name === group.name));
  if (real.length > 0) findings.push(...(await overTheNetwork(real, kib)));
  process.stdout.write(`${report(findings)}\n${faults.map((fault) => `FAULT: ${fault}\n`).join("")}`);
  process.stdout.write(`${left} of ${asked} rows were left out: a create refuses the object that they ask for\n`);
  if (findings.length === 0) process.stdout.write("nothing was looked at\n");
  return findings.length > 0 && faults.length === 0 && findings.every((f) => f.wrong === undefined);
}

async function overTheNetwork(groups: readonly Group[], kib: number): Promise<readonly Finding[]> {
  const named = groups.map((group) => ({ ...group, name: `over HTTP: ${group.name}` }));
  const server = await startHttpServer();
  try {
    return await search(server, named, { bytes: kib * 1024, ...progressOf(named) });
  } finally {
    await server.stop();
  }
}

function* selected(groups: Iterable<Group>, { kinds, row }: Pick<GrowthOptions, "kinds" | "row">): Generator<Group> {
  for (const group of groups) {
    if (kinds.length > 0 && !kinds.some((kind) => group.kind.includes(kind))) continue;
    const rows = group.rows.filter(({ name }) => `${group.name} ${name}`.includes(row));
    if (rows.length > 0) yield { ...group, rows };
  }
}

/** A line every two seconds, and one of whatever is wrong at once. */
function progressOf(groups: readonly Group[]) {
  let done = 0;
  let told = performance.now();
  return {
    progress(group: Group): void {
      done += 1;
      if (performance.now() - told < 2000) return;
      told = performance.now();
      process.stderr.write(`${done} of ${groups.length}: ${group.name}\n`);
    },
    found(findings: readonly Finding[]): void {
      for (const { name, wrong } of findings)
        if (wrong !== undefined) process.stderr.write(`WRONG: ${name} ${wrong}\n`);
    },
  };
}
