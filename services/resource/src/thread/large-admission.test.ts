import assert from "node:assert/strict";
import { test } from "node:test";
import { usualConfigurations } from "../admission/configurations.js";
import { openBed, type Subject } from "../testing/bed.js";
import { refusal } from "../testing/refusal.js";
import { largeBytes } from "./large-writes.js";

const all = "x".repeat(largeBytes);
const doneBy = ({ resource }: Subject): number => resource.large?.counts.done ?? Number.NaN;

test("a large pod is held to the standard of its namespace, in the thread", async (t) => {
  const subject = await (await openBed(t, "orch")).start({ thread: true });
  const labels = { "pod-security.orch/enforce": "baseline" };
  await subject.write({ resource: "namespaces", namespace: "" }, { metadata: { name: "ns", labels } });
  const metadata = { name: "p", annotations: { all } };
  const pod = { metadata, spec: { hostPID: true, containers: [{ name: "c", image: "i" }] } };
  const why = 'violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';
  const write = subject.write({ resource: "pods", namespace: "ns" }, pod);
  assert.equal(await refusal(write), `403 pods "p" is forbidden: ${why}`);
  assert.equal(doneBy(subject), 1);
});

test("large and small creates at once never pass a quota together", async (t) => {
  const subject = await (await openBed(t, "orch")).start({ thread: true });
  const quota = { resource: "resourcequotas", name: "q" };
  const hard = { "count/configmaps": "12" };
  await subject.write({ ...quota, name: "" }, { metadata: { name: "q" }, spec: { hard } });
  const status = { hard, used: { "count/configmaps": "2" } };
  await subject.write({ ...quota, verb: "update", subresource: "status" }, { metadata: { name: "q" }, status });
  // Small writes ask the mirror, which is a moment behind.
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      subject.write({}, { metadata: { name: `c${i}` }, data: i % 3 === 0 ? { all } : {} }).then(
        () => 1,
        () => 0,
      ),
    ),
  );
  assert.equal(
    made.reduce<number>((sum, one) => sum + one, 0),
    10,
  );
  assert.equal(doneBy(subject), 10);
});

test("large events take from the buckets of small ones", async (t) => {
  const limits = [{ type: "Server", qps: 1e-9, burst: 2, cacheSize: 10 }] as const;
  const configurations = { ...usualConfigurations, eventRateLimit: { limits } };
  const enabledAdmissionPlugins = ["EventRateLimit"];
  const bed = await openBed(t, "orch");
  const subject = await bed.start({ thread: true, configurations, enabledAdmissionPlugins });
  const event = (name: string, annotations: object) => ({
    metadata: { name, annotations },
    involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    type: "Normal",
  });
  const write = (name: string, annotations: object) => subject.write({ resource: "events" }, event(name, annotations));
  await write("a", { all });
  await write("b", {});
  assert.equal(await refusal(write("c", { all })), "429 limit reached on type Server for key ");
  assert.equal(doneBy(subject), 2);
});
