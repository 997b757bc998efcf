import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceEndpoints, ServiceState } from "@orch/outbound/service-addresses.js";
import { afterAsking, newCondition, objection } from "./availability.js";
import type { ServiceView } from "./service-views.js";

const at = { namespace: "ns", name: "svc", port: 8443 };
const service: ServiceState = {
  type: "ClusterIP",
  clusterIP: "10.0.0.1",
  externalName: "",
  ports: [{ name: "https", port: 8443 }],
};
const served: ServiceEndpoints = { addresses: ["10.1.0.1"], ports: new Map([["https", 6443]]) };
const view = (more: Partial<ServiceView> = {}): ServiceView => ({
  loaded: true,
  service,
  endpoints: [served],
  ...more,
});

const rows: readonly (readonly [what: string, view: ServiceView, reason: string | undefined, message?: string])[] = [
  ["that is not there", view({ service: undefined }), "ServiceNotFound", 'service/svc in "ns" is not present'],
  [
    "without the port",
    view({ service: { ...service, ports: [] } }),
    "ServicePortError",
    'service/svc in "ns" is not listening on port 8443',
  ],
  [
    "without endpoints",
    view({ endpoints: undefined }),
    "EndpointsNotFound",
    'cannot find endpoints for service/svc in "ns"',
  ],
  [
    "whose endpoints have no addresses",
    view({ endpoints: [{ ...served, addresses: [] }] }),
    "MissingEndpoints",
    'endpoints for service/svc in "ns" have no addresses with port name "https"',
  ],
  [
    "whose endpoints serve another port",
    view({ endpoints: [{ ...served, ports: new Map([["http", 80]]) }] }),
    "MissingEndpoints",
    'endpoints for service/svc in "ns" have no addresses with port name "https"',
  ],
  ["with all of that", view(), undefined],
  [
    "of another type, of which nobody knows",
    view({ service: { ...service, type: "ExternalName", ports: [] }, endpoints: undefined }),
    undefined,
  ],
];

for (const [what, seen, reason, message] of rows) {
  test(`a service ${what} ${reason === undefined ? "is asked itself" : `is not available: ${reason}`}`, () => {
    const wanted = reason === undefined ? undefined : { status: "False", reason, message };
    assert.deepEqual(objection(at, seen), wanted);
  });
}

test("a server that answers is available, another is not", () => {
  assert.deepEqual(afterAsking(undefined), { status: "True", reason: "Passed", message: "all checks passed" });
  assert.deepEqual(afterAsking("why"), { status: "False", reason: "FailedDiscoveryCheck", message: "why" });
});

test("a condition is written when it says something else, and keeps the time since when its status holds", () => {
  const verdict = { status: "False", reason: "A", message: "m" };
  const said = { ...verdict, lastTransitionTime: "before" };
  assert.equal(newCondition(verdict, said, "now"), undefined);
  assert.deepEqual(newCondition({ ...verdict, reason: "B" }, said, "now"), { ...said, reason: "B" });
  assert.deepEqual(newCondition(afterAsking(undefined), said, "now"), {
    ...afterAsking(undefined),
    lastTransitionTime: "now",
  });
  assert.deepEqual(newCondition(verdict, undefined, "now"), { ...verdict, lastTransitionTime: "now" });
});
