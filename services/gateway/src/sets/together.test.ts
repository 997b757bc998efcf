import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { warningHeaders } from "../http/warning-headers.js";
import { serviceOfAll } from "./at-once.js";
import type { Plan, PlannedWrite } from "./plan.js";
import type { Action } from "./set-object.js";
import { gatherWarnings, warningTexts } from "./warnings.js";

const catalog = loadCatalog(createNaming("kubernetes"));

function write(apiVersion: string, kind: string, more: { action?: Action; bytes?: number } = {}): PlannedWrite {
  const found = catalog.kind(apiVersion, kind);
  assert.ok(found);
  const { group, version, plural } = found;
  const place = { ...(group === "" ? {} : { group }), version, resource: plural, kind, name: "x" };
  const object = { at: "spec.objects[0]", kind: found, brought: false, place, object: {} };
  return { object, action: more.action ?? "Create", changes: [], before: undefined, bytes: more.bytes ?? 100 };
}

const call = (): Promise<never> => Promise.reject(new TypeError("nobody is called here"));
const caller = (): Caller => ({ call, open: () => assert.fail(), ready: true, close: async () => {} });
const [one, other] = [caller(), caller()];
const everywhere = { resources: () => one };
const plan = (...writes: readonly PlannedWrite[]): Pick<Plan, "writes" | "removals"> => ({ writes, removals: [] });

test("a set is written at once where one service has all of its groups, that of sets among them", () => {
  const all = plan(write("v1", "ConfigMap"), write("apps/v1", "Deployment"));
  assert.equal(serviceOfAll(all, "sets.orch", everywhere), one);
  assert.equal(serviceOfAll(plan(), "sets.orch", everywhere), one);
  const parted = { resources: (group: string) => (group === "apps" ? other : one) };
  assert.equal(serviceOfAll(all, "sets.orch", parted), undefined);
  assert.equal(serviceOfAll(plan(write("v1", "Secret")), "sets.orch", parted), one);
  assert.equal(serviceOfAll(plan(write("apps/v1", "Deployment")), "sets.orch", parted), undefined);
});

test("what lays ground for others, or is too large, is written object by object", () => {
  const definition = (action: Action) => write("apiextensions.k8s.io/v1", "CustomResourceDefinition", { action });
  const cases: readonly (readonly [PlannedWrite, Caller | undefined])[] = [
    [write("v1", "Namespace"), undefined],
    [write("v1", "Namespace", { action: "Change" }), one],
    [definition("Create"), undefined],
    [definition("Change"), undefined],
    [definition("Keep"), one],
    [write("v1", "ConfigMap", { bytes: 7 << 20 }), undefined],
    [write("v1", "ConfigMap", { bytes: 5 << 20 }), one],
  ];
  for (const [i, [each, wanted]] of cases.entries())
    assert.equal(serviceOfAll(plan(each, write("v1", "Secret")), "sets.orch", everywhere), wanted, `case ${i}`);
  const large = write("v1", "ConfigMap", { bytes: 4 << 20 });
  assert.equal(serviceOfAll(plan(large, large), "sets.orch", everywhere), undefined);
});

const headerOf = (texts: readonly string[]): string =>
  warningHeaders(texts)
    .filter((_, i) => i % 2 === 1)
    .join(", ");

test("warnings are read as they were written, whatever is in them", () => {
  const texts = ['a "quoted" one', "é, ü and 漢", "ends in \\", '299 - "', "a, b", ""];
  assert.deepEqual(warningTexts(headerOf(texts)), texts);
  for (const broken of ["", "299 -", '299 - "', '299 - "x', '299 - "x\\"', 'x "y"'])
    assert.deepEqual(warningTexts(broken), []);
});

test("warnings are gathered once each, and no more of them than an answer carries", () => {
  const gathered = gatherWarnings();
  gathered.add(undefined);
  gathered.add(headerOf(["a", "b"]));
  gathered.add([headerOf(["b"]), headerOf(["c"])]);
  assert.deepEqual(gathered.all, ["a", "b", "c"]);
  for (let i = 0; i < 1000; i++) gathered.add(headerOf([`w${i}`]));
  assert.equal(gathered.all.length, 200);
  const long = gatherWarnings();
  for (let i = 0; i < 100; i++) long.add(headerOf([`${i}${"x".repeat(4000)}`]));
  assert.ok(long.all.join("").length <= 64 << 10);
});
