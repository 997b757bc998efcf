import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import type { EventLine } from "@orch/audit/event.js";
import { createEventWriter } from "@orch/audit/record.js";
import { createTimeFormat } from "@orch/audit/times.js";
import { createNaming } from "@orch/naming/naming.js";
import { fakeCall } from "../testing/fake-call.js";
import { RequestAudit } from "./request-audit.js";

const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming);

/** What the last event says of a request that took so long, and waited for a webhook in it. */
function annotationsAfter(ms: number, verb = "get"): object {
  const call = fakeCall({ verb });
  const events: EventLine[] = [];
  const ignored = (): void => {};
  let now = 1_000;
  const audit = new RequestAudit(
    {
      planOf: () => ({ level: "Metadata", omitStages: new Set(), omitManagedFields: false }),
      writer: createEventWriter(naming, createTimeFormat()),
      decisionKeys: { decision: "d", reason: "r" },
      truncatedKey: "t",
      latencyPrefix: naming.latencyKey(""),
      send: (event) => void events.push(Buffer.from(event)),
      ...{ sendAndWait: undefined, strict: false, catalog: () => catalog, now: () => now },
      metrics: { event: ignored, level: ignored, rejected: ignored, lost: ignored },
    },
    call.request,
    call.response,
  );
  void audit.received(call);
  audit.annotate([
    ["k.example.com/k", "v"],
    [naming.latencyKey("mutating-webhook"), "450ms"],
  ]);
  now += ms;
  audit.complete(call);
  return JSON.parse(String(events.at(-1))).annotations;
}

const plain = { "k.example.com/k": "v" };

test("the event of a request that takes over half a second says where the time went", () => {
  assert.deepEqual(annotationsAfter(500), plain);
  assert.deepEqual(annotationsAfter(1_200), {
    ...plain,
    "apiserver.latency.k8s.io/mutating-webhook": "450ms",
    "apiserver.latency.k8s.io/total": "1.2s",
  });
});

test("a watch takes as long as its client wants", () => {
  assert.deepEqual(annotationsAfter(60_000, "watch"), plain);
});
