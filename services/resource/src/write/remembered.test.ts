import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { openBed, type Subject } from "../testing/bed.js";

/** A change of an object, by whatever name it has. */
interface Change {
  readonly request: Partial<WriteRequest>;
  readonly body: (name: string) => object;
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

const value = fc.constantFrom("a", "b");
const manager = fc.constantFrom("one", "two");
const patch = (contentType: string, by: string): Partial<WriteRequest> => ({
  verb: "patch",
  contentType: `application/${contentType}`,
  options: { fieldManager: by },
});

const template = (env: string, label: string) => ({
  metadata: { labels: { app: "x", label } },
  spec: { containers: [{ name: "c", image: "i", env: [{ name: "E", value: env }] }], volumes: [{ name: "v" }] },
});
const deployment = (env: string, label: string) => (name: string) => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, labels: { label } } },
  spec: { selector: { matchLabels: { app: "x" } }, template: template(env, label) },
});
const deploymentChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    request: fc.constant<Partial<WriteRequest>>({ verb: "update" }),
    body: fc.tuple(value, value).map((of) => deployment(...of)),
  }),
  fc
    .tuple(manager, value, value)
    .map(([by, ...of]) => ({ request: patch("apply-patch+yaml", by), body: deployment(...of) })),
  fc.tuple(manager, value).map(([by, to]) => ({
    request: patch("merge-patch+json", by),
    body: () => ({ metadata: { annotations: { to } }, spec: { template: { metadata: { labels: { more: to } } } } }),
  })),
  fc.tuple(manager, value).map(([by, to]) => ({
    request: patch("strategic-merge-patch+json", by),
    body: () => ({ spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "E", value: to }] }] } } } }),
  })),
  fc.tuple(manager, value).map(([by, type]) => ({
    request: { ...patch("merge-patch+json", by), subresource: "status" },
    body: () => ({ status: { conditions: [{ type, status: "True" }] } }),
  })),
);

/** Fields that are always written, and kept as they are written, below lists, too. */
const slice = (ready: boolean, label: string) => (name: string) => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { name, labels: { label } } },
  ...{ addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready } }] },
  ports: [{ port: 80 }],
});
const sliceChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.boolean(), value).map((of) => ({ request: { verb: "update" as const }, body: slice(...of) })),
  fc.tuple(manager, value).map(([by, to]) => ({
    request: patch("merge-patch+json", by),
    body: () => ({ metadata: { annotations: { to } } }),
  })),
  fc
    .tuple(manager, fc.boolean(), value)
    .map(([by, ...of]) => ({ request: patch("apply-patch+yaml", by), body: slice(...of) })),
);

const kinds: readonly (readonly [place: Place, first: Change["body"], change: fc.Arbitrary<Change>])[] = [
  [{ group: "apps", version: "v1", resource: "deployments" }, deployment("a", "a"), deploymentChange],
  [{ group: "discovery.k8s.io", version: "v1", resource: "endpointslices" }, slice(true, "a"), sliceChange],
];

/** What a writer is answered, but for what differs from object to object. */
async function answerOf(subject: Subject, place: Place, { request, body }: Change, name: string): Promise<string> {
  try {
    const object = subject.read(await subject.write({ ...place, ...request, name }, body(name)));
    const { uid, resourceVersion, ...metadata } = object.metadata;
    assert.ok(uid !== undefined && resourceVersion !== undefined);
    return JSON.stringify({ ...object, metadata }).replaceAll(name, "NAME");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.reason}: ${error.message}`.replaceAll(name, "NAME");
  }
}

for (const [place, first, change] of kinds) {
  test(`changes of ${place.resource} come to the same whether one replica makes them all, or two in turns`, async (t) => {
    const bed = await openBed(t, "kubernetes");
    const [alone, other] = [await bed.start(), await bed.start()];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 8 }), async (changes) => {
        const [one, two] = [`one-${run}`, `two-${run++}`];
        const begin: Change = { request: patch("apply-patch+yaml", "one"), body: first };
        for (const [i, each] of [begin, ...changes].entries()) {
          const byTurns = i % 2 === 0 ? alone : other;
          assert.equal(await answerOf(alone, place, each, one), await answerOf(byTurns, place, each, two));
        }
      }),
      { numRuns: 60 },
    );
  });
}
