import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { WriteReply } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { openBed, type Subject } from "../testing/bed.js";
import { largeBytes } from "./large-writes.js";

const large = (name: string, more: object = {}) => ({
  metadata: { name, ...more },
  data: { all: "x".repeat(largeBytes) },
});
const doneBy = ({ resource }: Subject): number => resource.large?.counts.done ?? Number.NaN;
const merge = { verb: "patch", contentType: "application/merge-patch+json" } as const;
const reasonOf = (error: unknown): string => (error instanceof ApiError ? error.reason : String(error));

describe("large writes", () => {
  test("a large body is written in the thread, a small one is not, and both answer alike", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    await subject.write({}, { metadata: { name: "small" }, data: { a: "b" } });
    assert.equal(doneBy(subject), 0);
    const created = await subject.write({}, large("big"));
    assert.equal(doneBy(subject), 1);
    assert.equal(created.code, 201);
    const { metadata } = subject.read(created);
    assert.equal(metadata.namespace, "default");
    assert.ok(Number(metadata.resourceVersion) > 0);
    assert.equal(metadata.managedFields?.length, 1);
  });

  test("a small patch of a large object is made in the thread, from its beginning", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    await subject.write({}, large("big"));
    const patched = await subject.write({ ...merge, name: "big" }, { metadata: { labels: { a: "b" } } });
    assert.equal(doneBy(subject), 2);
    assert.deepEqual(subject.read(patched).metadata.labels, { a: "b" });
    await subject.write({ verb: "delete", name: "big" });
    assert.equal(doneBy(subject), 3);
    await assert.rejects(subject.write({ ...merge, name: "big" }, {}), { reason: "NotFound" });
  });

  test("what a large body is refused for is what a small one is", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    await subject.write({}, large("big"));
    const refusals = [
      subject.write({}, large("big")),
      subject.write({}, large("UPPER")),
      subject.write({ namespace: "nowhere" }, large("other")),
      subject.write({ verb: "update", name: "big" }, large("big", { resourceVersion: "1" })),
      subject.write({ verb: "update", name: "missing" }, large("missing")),
      subject.write({ options: { dryRun: "Some" } }, large("other")),
    ];
    const reasons = await Promise.all(refusals.map((each) => each.then(() => "", reasonOf)));
    assert.deepEqual(reasons, ["AlreadyExists", "Invalid", "NotFound", "Conflict", "NotFound", "Invalid"]);
  });

  test("writers of one large object do not lose each other's changes", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    await subject.write({}, large("big"));
    const patches = Array.from({ length: 8 }, (_, i) =>
      subject.write({ ...merge, name: "big" }, { metadata: { labels: { [`l${i}`]: "there" } } }),
    );
    await Promise.all(patches);
    const last = await subject.write({ ...merge, name: "big" }, { metadata: { annotations: { a: "b" } } });
    assert.equal(Object.keys(subject.read(last).metadata.labels ?? {}).length, 8);
  });

  test("a dry run of a large write stores nothing", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    const reply = await subject.write({ options: { dryRun: "All" } }, large("dry"));
    assert.equal(reply.code, 201);
    assert.equal(subject.read(reply).metadata.name, "dry");
    await assert.rejects(subject.write({ verb: "delete", name: "dry" }), { reason: "NotFound" });
  });

  test("a large service is given its numbers from the main thread, and gives them back", async (t) => {
    const address = [{ address: [10, 0, 0, 0], bits: 30 }];
    const subject = await (await openBed(t, "orch")).start({ thread: true, allocation: { addresses: address } });
    const padding = { annotations: { padding: "x".repeat(largeBytes) } };
    const service = (name: string) => ({ metadata: { name, ...padding }, spec: { ports: [{ port: 80 }] } });
    const services = { resource: "services" } as const;
    const first = await subject.write(services, service("first"));
    assert.match(first.body.toString(), /"clusterIP": ?"10\.0\.0\.[12]"/);
    // Its own numbers are taken before its name is found to be, and given back: the next one has them.
    await assert.rejects(subject.write(services, service("first")), { reason: "AlreadyExists" });
    await subject.write(services, service("second"));
    await assert.rejects(subject.write(services, service("third")), { reason: "InternalError" });
    await subject.write({ ...services, verb: "delete", name: "first" });
    assert.equal((await subject.write(services, service("third"))).code, 201);
    assert.equal(doneBy(subject), 6);
  });

  test("admission asks in the thread what the main thread's mirrors hold", async (t) => {
    const subject = await (await openBed(t, "orch")).start({ thread: true });
    const scheduling = { group: "scheduling.orch", resource: "priorityclasses", namespace: "" };
    await subject.write(scheduling, { metadata: { name: "late" }, value: 7 });
    const limits = { limits: [{ type: "Container", default: { memory: "1Gi" } }] };
    await subject.write({ resource: "limitranges" }, { metadata: { name: "bounds" }, spec: limits });
    const pod = (name: string) => ({
      metadata: { name, annotations: { padding: "x".repeat(largeBytes) } },
      spec: { priorityClassName: "late", containers: [{ name: "c", image: "i" }] },
    });
    const wanted = (reply: WriteReply): boolean => /"memory": ?"1Gi"/.test(reply.body.toString());
    // Mirrors are a moment behind the store.
    let reply = await subject.write({ resource: "pods" }, pod("p0"));
    for (let i = 1; i < 100 && !wanted(reply); i++) {
      await pause(20);
      reply = await subject.write({ resource: "pods" }, pod(`p${i}`));
    }
    assert.ok(doneBy(subject) > 0);
    assert.ok(wanted(reply));
    assert.match(reply.body.toString(), /"priority": ?7\b/);
    const unknown = { ...pod("none"), spec: { ...pod("none").spec, priorityClassName: "missing" } };
    await assert.rejects(subject.write({ resource: "pods" }, unknown), { reason: "Forbidden" });
  });
});
