import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createNodeGraph } from "./graph.js";

type Change =
  | { readonly pod: string; readonly node: string; readonly refs: readonly string[] }
  | { readonly volume: string; readonly claim: string; readonly secrets: readonly string[] }
  | { readonly owned: string; readonly node: string }
  | { readonly gone: "pod" | "volume"; readonly name: string }
  | { readonly clear: "pods" | "volumes" };

const nodes = ["n1", "n2"];
const claims = ["claim/a/c1", "claim/a/c2"];
const secrets = ["secret/a/s1", "secret/a/s2"];
const names = ["1", "2", "3"];
const node = fc.constantFrom(...nodes);
const name = fc.constantFrom(...names);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ pod: name, node, refs: fc.uniqueArray(fc.constantFrom(...claims, ...secrets)) }),
  fc.record({ volume: name, claim: fc.constantFrom(...claims), secrets: fc.uniqueArray(fc.constantFrom(...secrets)) }),
  fc.record({ owned: name, node: fc.constantFrom(...nodes, "") }),
  fc.record({ gone: fc.constantFrom("pod" as const, "volume" as const), name }),
  fc.record({ clear: fc.constantFrom("pods" as const, "volumes" as const) }),
);

test("after any changes a node reaches what the objects as they are now name, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const graph = createNodeGraph();
      const pods = new Map<string, { node: string; refs: readonly string[] }>();
      const volumes = new Map<string, { claim: string; secrets: readonly string[] }>();
      const owners = new Map<string, string>();
      for (const each of changes) {
        if ("pod" in each) {
          pods.set(each.pod, each);
          graph.setPod(each.pod, each);
        } else if ("volume" in each) {
          volumes.set(`volume//${each.volume}`, each);
          graph.setVolume(`volume//${each.volume}`, each);
        } else if ("owned" in each) {
          owners.set(`slice//${each.owned}`, each.node);
          graph.setOwner(`slice//${each.owned}`, each.node);
        } else if ("clear" in each) {
          (each.clear === "pods" ? pods : volumes).clear();
          graph.clear(each.clear);
        } else if (each.gone === "pod") {
          pods.delete(each.name);
          graph.setPod(each.name, undefined);
        } else {
          volumes.delete(`volume//${each.name}`);
          graph.setVolume(`volume//${each.name}`, undefined);
        }
      }
      const named = (by: string, ref: string): boolean =>
        [...pods.values()].some((pod) => pod.node === by && pod.refs.includes(ref));
      for (const by of nodes) {
        for (const ref of [...claims, ...secrets]) {
          const through = [...volumes.values()].some((v) => v.secrets.includes(ref) && named(by, v.claim));
          assert.equal(graph.reaches(by, ref), named(by, ref) || through, `${by} ${ref}`);
        }
        for (const each of names) {
          const volume = volumes.get(`volume//${each}`);
          assert.equal(graph.reaches(by, `volume//${each}`), volume !== undefined && named(by, volume.claim));
          assert.equal(graph.reaches(by, `slice//${each}`), owners.get(`slice//${each}`) === by);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("owned objects of one sort are forgotten together", () => {
  const graph = createNodeGraph();
  graph.setOwner("slice//a", "n1");
  graph.setOwner("attachment//a", "n1");
  graph.clear({ owned: "slice//" });
  assert.equal(graph.reaches("n1", "slice//a"), false);
  assert.equal(graph.reaches("n1", "attachment//a"), true);
});
