import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { pick, randomOf } from "../random.js";
import { allGroups } from "./all-groups.js";
import { catalogOfEverything, subjectsOf } from "./kinds.js";
import { isContainer, placesOf } from "./places.js";
import type { Group } from "./rows.js";
import { search } from "./search.js";
import { type Server, startServer } from "./server.js";

const naming = createNaming("kubernetes");
const catalog = catalogOfEverything(naming);
const subjects = subjectsOf(naming, catalog);
const groups = [...allGroups(subjects)];

let server: Server;
before(async () => {
  server = await startServer(naming, catalog);
});
after(() => server.stop());

test("every list and map of every kind and version has rows", () => {
  const names = new Set(groups.map((group) => group.name.split(" ").slice(0, 2).join(" ")));
  const containers = subjects.flatMap(({ name, kind }) =>
    placesOf(kind.type).flatMap((place) => (isContainer(place.type) ? [`${name} ${place.path}`] : [])),
  );
  assert.deepEqual(
    containers.filter((place) => !names.has(place)),
    [],
  );
  assert.ok(subjects.length > 120, `${subjects.length} kinds`);
  assert.ok(containers.length > 3000, `${containers.length} lists and maps`);
});

/** Where most was found: what every object has, and the largest map there is. */
const densest = [
  /^v1\.ConfigMap data distinct (over|tracked|applied)$/,
  /^v1\.Binding metadata\.(labels|finalizers|ownerReferences|managedFields) (distinct|wrong) new$/,
  /^v1\.ConfigMap metadata\.(finalizers|ownerReferences|managedFields) distinct tracked$/,
  /^body (json|cbor|protobuf) (unknown fields|keys twice|one key again and again|metadata again and again)/,
];

test("bodies of the densest fields cost as much as they are large", async () => {
  await assertLinear(groups.filter(({ name }) => densest.some((pattern) => pattern.test(name))));
});

/** A run of all is `make bench ARGS="--only=growth"`. */
const sampled = 16;

test("bodies of a sample of all cost as much as they are large", async () => {
  const random = randomOf(1);
  const small = groups.filter(({ name }) => !name.startsWith("body yaml"));
  await assertLinear(Array.from({ length: sampled }, () => pick(random, small)).filter((group) => group !== undefined));
});

async function assertLinear(chosen: readonly Group[]): Promise<void> {
  const findings = await search(server, chosen, { bytes: 64 * 1024, progress: () => {}, found: () => {} });
  assert.ok(findings.length >= chosen.length / 2, `${findings.length} rows of ${chosen.length} groups were looked at`);
  assert.deepEqual(
    findings.flatMap(({ name, wrong }) => (wrong === undefined ? [] : [`${name} ${wrong}`])),
    [],
  );
}
