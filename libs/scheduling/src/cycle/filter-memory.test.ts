import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createPlaceLog } from "../cluster/place-log.js";
import { localFilter } from "../framework/plugin.js";
import type { RawPod } from "../model/objects.js";
import { podInfoOf } from "../model/pod-info.js";
import { anyNode, anyPod, anySteps, nodeNames, type Step } from "../testing/arbitrary-cluster.js";
import { node, on, pod, type Scene, sceneOf } from "../testing/cluster-of.js";

const names = ["new1", "new2", "new3"] as const;

/** Pods of a few templates are tried and nominated again and again, while the cluster changes. */
type MemoryStep =
  | { readonly do: "change"; readonly step: Step }
  | { readonly do: "try"; readonly template: number; readonly name: string }
  | { readonly do: "nominate"; readonly template: number; readonly name: string; readonly to: string };

const template = fc.nat({ max: 2 });
const name = fc.constantFrom(...names);
const steps: fc.Arbitrary<readonly MemoryStep[]> = fc
  .tuple(
    anySteps,
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ do: fc.constant("try" as const), template, name }) },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant("nominate" as const),
            ...{ template, name, to: fc.constantFrom("", ...nodeNames) },
          }),
        },
      ),
      { minLength: 30, maxLength: 60 },
    ),
  )
  .map(([changes, others]) =>
    others.flatMap((other, i) => {
      const step = changes[i % 2 === 0 ? i / 2 : changes.length];
      return step === undefined ? [other] : [{ do: "change" as const, step }, other];
    }),
  );

function change({ cluster }: Scene, step: Step): void {
  if (step.do === "setNode") cluster.setNode(step.node);
  else if (step.do === "removeNode") cluster.removeNode(step.name);
  else if (step.do === "setPod") cluster.setPod(on(step.on, step.pod));
  else if (step.do === "removePod") for (const namespace of ["x", "y"]) cluster.removePod(`${namespace}/${step.name}`);
  else if (step.do === "label") cluster.setNamespace(step.namespace, step.labels);
}

test("decisions by what is remembered are those of a scheduler that remembers nothing", () => {
  const templates = fc.tuple(anyPod("a"), anyPod("b"), anyPod("c"));
  fc.assert(
    fc.property(fc.tuple(...nodeNames.map(anyNode)), templates, steps, (nodes, made, all) => {
      const options = { random: () => 0 };
      const scene = sceneOf(options);
      for (const each of nodes) scene.cluster.setNode(each);
      // So many that one which comes or goes does not put all in order again.
      for (let i = 0; i < 40; i++) scene.cluster.setNode(node(`small${i}`, { has: { cpu: i % 2 === 0 ? "1" : "0" } }));
      for (const step of all) {
        if (step.do === "change") {
          change(scene, step.step);
          continue;
        }
        const { metadata, ...rest } = made[step.template] ?? {};
        const raw: RawPod = { ...rest, metadata: { ...metadata, name: step.name } };
        if (step.do === "nominate") scene.cluster.nominations.set(podInfoOf(raw), step.to);
        else assert.deepEqual(scene.schedule(raw), sceneOf({ ...options, cluster: scene.cluster }).schedule(raw));
      }
    }),
    { numRuns: 150 },
  );
});

test("a pod that room is made for finds it still, though others of its template have been refused there", () => {
  const scene = sceneOf();
  scene.cluster.setNode(node("n1"));
  scene.cluster.setPod(on("n1", pod("low", { asks: { cpu: "4" }, spec: { priority: 1 } })));
  const nominatedNode = (each: string): string | undefined => {
    const decision = scene.schedule(pod(each, { asks: { cpu: "3" }, spec: { priority: 5 } }));
    return decision.outcome === "refused" ? decision.nomination?.node : decision.outcome;
  };
  assert.equal(nominatedNode("a"), "n1");
  scene.cluster.nominations.set(podInfoOf(pod("a", { asks: { cpu: "3" }, spec: { priority: 5 } })), "n1");
  assert.deepEqual(["b", "a", "b", "a"].map(nominatedNode), [undefined, "n1", undefined, "n1"]);
});

test("nodes that no pod of a template has changed are not asked about again", () => {
  let asked = 0;
  const count = (): undefined => {
    asked += 1;
    return undefined;
  };
  const scene = sceneOf({
    more: new Map([
      [
        "Counting",
        () => ({
          name: "Counting",
          filter: () => localFilter(count),
        }),
      ],
    ]),
    profile: { plugins: { filter: { enabled: [{ name: "Counting" }] } } },
  });
  for (let i = 0; i < 50; i++) scene.cluster.setNode(node(`n${i}`));
  const rounds = [1, 2, 3, 4, 5, 6].map((turn) => {
    asked = 0;
    const raw = pod(`p${turn}`, { asks: { cpu: "100m" } });
    const decision = scene.schedule(raw);
    assert.ok(decision.outcome === "placed");
    scene.cluster.assume(podInfoOf(raw), decision.node);
    return asked;
  });
  assert.deepEqual(rounds, [50, 50, 1, 1, 1, 1]);
});

test("a log of changed places says what changed since a mark, until it has forgotten", () => {
  const log = createPlaceLog();
  const since = (mark: number): readonly number[] | undefined => {
    const places: number[] = [];
    return log.since(mark, (place) => places.push(place)) ? places : undefined;
  };
  log.changed(3);
  const mark = log.end;
  log.changed(7);
  log.changed(3);
  assert.deepEqual([since(mark), since(log.end)], [[7, 3], []]);
  for (let i = 0; i < 4094; i++) log.changed(i);
  assert.equal(since(mark)?.length, 4096);
  log.changed(0);
  assert.equal(since(mark), undefined);
  const last = log.end;
  log.allChanged();
  assert.deepEqual([since(last), since(log.end)], [undefined, []]);
});
