import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { SeenNode } from "../seen/node.js";
import {
  type BalancedService,
  type BalancerDecision,
  balancerKey,
  decideBalancer,
  isTarget,
  nodeWords,
} from "./decide-balancer.js";

const finalizer = "service.kubernetes.io/load-balancer-cleanup";
const deletionTimestamp = "2026-01-01T00:00:00Z";
const held = { finalizers: [finalizer] };
const balanced = { type: "LoadBalancer" };
const rows: readonly (readonly [what: string, metadata: object, spec: object, is: BalancerDecision])[] = [
  ["of the type", {}, balanced, "ensure"],
  ["that has one", held, balanced, "ensure"],
  ["of a class", {}, { ...balanced, loadBalancerClass: "example.com/x" }, "ignore"],
  ["of another type", {}, { type: "ClusterIP" }, "ignore"],
  ["of another type by now", held, { type: "NodePort" }, "remove"],
  ["that goes", { ...held, deletionTimestamp }, balanced, "remove"],
  ["that goes and has none", { deletionTimestamp }, balanced, "ignore"],
];
for (const [what, metadata, spec, is] of rows) {
  test(`the balancer of a service ${what}: ${is}`, () => {
    assert.equal(decideBalancer({ metadata: { name: "s", ...metadata }, spec }, finalizer), is);
  });
}

test("a balancer is looked at again when its service asks for something else", () => {
  const service: BalancedService = { metadata: { uid: "u" }, spec: { ...balanced, ports: [{ port: 80 }] } };
  const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };
  assert.equal(balancerKey(service), balancerKey({ ...service, status }));
  assert.notEqual(balancerKey(service), balancerKey({ ...service, spec: { ...balanced, ports: [{ port: 81 }] } }));
  assert.notEqual(balancerKey(service), balancerKey({ ...service, metadata: { uid: "v" } }));
});

test("balancers lead to nodes that are not excluded, and stay", () => {
  const words = nodeWords(createNaming("kubernetes"));
  const is = (node: SeenNode) => isTarget(node, words);
  assert.equal(is({ metadata: { name: "n" } }), true);
  const labels = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };
  assert.equal(is({ metadata: { name: "n", labels } }), false);
  const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }];
  assert.equal(is({ metadata: { name: "n" }, spec: { taints } }), false);
  assert.equal(is({ metadata: { name: "n", deletionTimestamp } }), false);
});
