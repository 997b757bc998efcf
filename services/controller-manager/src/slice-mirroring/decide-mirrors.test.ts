import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Slice } from "../endpoint-slices/objects.js";
import { decideMirrors, isMirrored, mirrorWords } from "./decide-mirrors.js";

const words = mirrorWords(createNaming("kubernetes"));
const meta = { name: "db", namespace: "ns", uid: "u" };
const ports = [{ port: 80, protocol: "TCP" }];
const decide = (subsets: readonly object[], slices: readonly Slice[] = [], max = 10) =>
  decideMirrors({ metadata: meta, subsets }, slices, { words, max });
const shown = (slices: readonly Slice[]) =>
  slices.map(
    ({ addressType, endpoints = [] }) =>
      `${addressType} ${endpoints.map((e) => `${e.conditions?.ready === true ? "" : "!"}${e.addresses}`)}`,
  );

const mirrored: readonly (readonly [what: string, endpoints: object, service: object | undefined, is: boolean])[] = [
  ["of a service without a selector", {}, { spec: {} }, true],
  ["of a service with a selector", {}, { spec: { selector: { a: "b" } } }, false],
  ["without a service", {}, undefined, false],
  [
    "that say they are not to be",
    { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    { spec: {} },
    false,
  ],
  [
    "by which a leader is elected",
    { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } },
    { spec: {} },
    false,
  ],
];
for (const [what, metadata, service, is] of mirrored) {
  test(`endpoints ${what} are ${is ? "" : "not "}mirrored`, () => {
    const of = service === undefined ? undefined : { metadata: meta, ...service };
    assert.equal(isMirrored({ metadata: { ...meta, ...metadata } }, of, words), is);
  });
}

test("a slice of each family, ready and not", () => {
  const subset = { addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], notReadyAddresses: [{ ip: "10.0.0.2" }], ports };
  assert.deepEqual(shown(decide([subset]).create), ["IPv4 10.0.0.1,!10.0.0.2", "IPv6 fd00::1"]);
});

test("what is no address is left out and counted, and so is what is too much of a subset", () => {
  const addresses = [{ ip: "name" }, { ip: "10.0.0.1" }, { ip: "10.0.0.2" }, { ip: "10.0.0.3" }];
  const { create, invalid, skipped } = decide([{ addresses, ports }], [], 2);
  assert.deepEqual([shown(create), invalid, skipped], [["IPv4 10.0.0.1,10.0.0.2"], 1, 1]);
});

test("slices that are right stay, others take their place", () => {
  const stored = decide([{ addresses: [{ ip: "10.0.0.1" }], ports }]).create.map((slice) => ({
    ...slice,
    metadata: { ...slice.metadata, name: "db-1" },
  }));
  const same = decide([{ addresses: [{ ip: "10.0.0.1" }], ports }], stored);
  assert.deepEqual([same.create, same.update, same.remove], [[], [], []]);
  const other = decide([{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 81 }] }], stored);
  assert.deepEqual(
    [other.create.length, other.update.map((s) => s.metadata.name), other.remove.length],
    [0, ["db-1"], 0],
  );
  assert.deepEqual(decide([], stored).remove.length, 1);
});
