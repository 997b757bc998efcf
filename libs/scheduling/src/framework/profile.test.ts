import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster } from "../cluster/cluster.js";
import { defaultRegistry } from "../plugins/registry.js";
import { naming, noBind, profilesOf } from "../testing/cluster-of.js";
import type { Plugin } from "./plugin.js";
import { type Factory, type Profile, resolveProfile } from "./profile.js";

const scoring = (name: string): Plugin => ({ name, score: () => ({ score: () => 0 }), filter: () => () => undefined });
const registry = new Map<string, Factory>([
  ...defaultRegistry({
    naming,
    cluster: createCluster({ naming }),
    random: () => 0,
    bind: noBind,
    bindVolumes: () => noBind,
  }),
  ...["A", "B", "C", "D"].map((name) => [name, () => scoring(name)] as const),
  [
    "Broken",
    () => {
      throw new Error("no such file");
    },
  ],
]);
const resolve = (plugins: object): Profile => {
  const [profile] = profilesOf({ profiles: [{ plugins }] });
  assert.ok(profile);
  return resolveProfile(profile, registry);
};
const names = (list: string) =>
  list
    .split(" ")
    .filter((name) => name !== "")
    .map((each) => {
      const [name = "", weight] = each.split(":");
      return weight === undefined ? { name } : { name, weight: Number(weight) };
    });
const set = (enabled: string, disabled = "") => ({ enabled: names(enabled), disabled: names(disabled) });
const none = set("PrioritySort DefaultBinder", "*");

test("the default set, in its order, with its weights", () => {
  const profile = resolve({});
  const at = (list: readonly { readonly name: string }[]): string => list.map(({ name }) => name).join(" ");
  assert.deepEqual(
    profile.score.map(({ plugin, weight }) => `${plugin.name}:${weight}`),
    [
      "TaintToleration:3",
      "NodeAffinity:2",
      "NodeResourcesFit:1",
      "VolumeBinding:1",
      "PodTopologySpread:2",
      "InterPodAffinity:2",
      "NodeResourcesBalancedAllocation:1",
      "ImageLocality:1",
    ],
  );
  assert.equal(
    at(profile.filter),
    "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity",
  );
  assert.equal(at(profile.preEnqueue), "SchedulingGates");
  assert.equal(at(profile.postFilter), "DefaultPreemption");
  assert.equal(at(profile.reserve), "VolumeBinding");
  assert.equal(at(profile.preBind), "VolumeBinding");
  assert.equal(at(profile.bind), "DefaultBinder");
  assert.equal(profile.queueSort.name, "PrioritySort");
});

const orders: readonly (readonly [rule: string, multi: string, point: object, order: string])[] = [
  ["multiPoint alone", "A B:3 C", set(""), "A:1 B:3 C:1"],
  ["a point disables one", "A B C", set("", "B"), "A:1 C:1"],
  ["a point disables all of multiPoint", "A B C", set("D", "*"), "D:1"],
  ["a point's own come first, with its weight", "A B:3 C", set("C:7 B:9"), "C:7 B:9 A:1"],
  ["what the point alone lists comes last", "A B", set("D B"), "B:1 A:1 D:1"],
  ["enabled again after it was disabled", "A B C D", set("A", "A"), "B:1 C:1 D:1 A:1"],
  ["overridden, disabled and added", "A B C D", set("C", "B"), "C:1 A:1 D:1"],
];
for (const [rule, multi, score, order] of orders) {
  test(`the order of a point: ${rule}`, () => {
    const multiPoint = { ...none, enabled: [...none.enabled, ...names(multi)] };
    const profile = resolve({ multiPoint, score });
    assert.equal(profile.score.map(({ plugin, weight }) => `${plugin.name}:${weight}`).join(" "), order);
  });
}

const of = 'for profile with scheduler name "default-scheduler"';
const errors: readonly (readonly [plugins: object, says: string])[] = [
  [{ filter: set("Missing") }, 'FilterPlugin "Missing" does not exist'],
  [{ multiPoint: set("Missing") }, 'PreFilterPlugin "Missing" does not exist'],
  [{ bind: set("A") }, 'plugin "A" does not extend BindPlugin plugin'],
  [{ score: set("A A") }, 'plugin "A" already registered as "ScorePlugin"'],
  [{ multiPoint: set("A A") }, 'plugin "A" already registered as "FilterPlugin"'],
  [{ queueSort: set("", "*") }, `only one queue sort plugin required ${of}, but got 0`],
  [{ bind: set("", "*") }, `at least one bind plugin is needed ${of}`],
  [{ multiPoint: set("Broken") }, 'initializing plugin "Broken": no such file'],
];
for (const [plugins, says] of errors) {
  test(`a profile that cannot be built: ${says}`, () => {
    assert.throws(() => resolve(plugins), { name: "ProfileError", message: says });
  });
}
