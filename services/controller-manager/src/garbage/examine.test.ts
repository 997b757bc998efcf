import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import fc from "fast-check";
import { createWorld, type World } from "../testing/world.js";
import { judge, type Owners, type Verdict } from "./examine.js";
import type { OwnerReference } from "./references.js";

const owner = (uid: string): OwnerReference => ({
  apiVersion: "v1",
  kind: "Thing",
  name: uid,
  uid,
  blockOwnerDeletion: false,
});
const [s, d, w] = [[owner("solid")], [owner("dangling")], [owner("waiting")]];

const judgements: readonly {
  readonly title: string;
  readonly owners: Partial<Owners>;
  readonly hasDependents?: boolean;
  readonly finalizers?: readonly string[];
  readonly verdict: Verdict;
}[] = [
  { title: "a solid owner keeps it", owners: { solid: s }, verdict: { do: "keep" } },
  {
    title: "a solid owner keeps it, those that are gone are taken out",
    owners: { solid: s, dangling: d },
    verdict: { do: "disown", owners: d },
  },
  {
    title: "a solid owner keeps it, those that wait for it need not",
    owners: { solid: s, waiting: w },
    verdict: { do: "disown", owners: w },
  },
  {
    title: "a solid owner keeps it from all others",
    owners: { solid: s, dangling: d, waiting: w },
    verdict: { do: "disown", owners: [...d, ...w] },
  },
  {
    title: "nobody owns it any more",
    owners: { dangling: d },
    verdict: { do: "delete", propagation: "Background" },
  },
  {
    title: "nobody owns it any more, its dependents are looked at later",
    owners: { dangling: d },
    hasDependents: true,
    verdict: { do: "delete", propagation: "Background" },
  },
  {
    title: "it has the orphan finalizer",
    owners: { dangling: d },
    finalizers: ["orphan"],
    verdict: { do: "delete", propagation: "Orphan" },
  },
  {
    title: "it has the foreground finalizer",
    owners: { dangling: d },
    finalizers: ["foregroundDeletion"],
    verdict: { do: "delete", propagation: "Foreground" },
  },
  {
    title: "an owner waits and it has no dependents",
    owners: { waiting: w },
    verdict: { do: "delete", propagation: "Background" },
  },
  {
    title: "an owner waits and it has dependents: they go first",
    owners: { waiting: w, dangling: d },
    hasDependents: true,
    finalizers: ["orphan"],
    verdict: { do: "delete", propagation: "Foreground" },
  },
];

for (const { title, owners, hasDependents = false, finalizers = [], verdict } of judgements) {
  test(`verdict: ${title}`, () => {
    const all: Owners = { solid: [], dangling: [], waiting: [], ...owners };
    assert.deepEqual(judge(all, { hasDependents, finalizers }), verdict);
  });
}

interface Scenario {
  readonly title: string;
  readonly given: (world: World) => void;
  readonly when?: (world: World) => void | Promise<void>;
  /** Names that are left. */
  readonly left: readonly string[];
  /** What was asked of the server, in order. */
  readonly log: readonly string[];
}

const scenarios: readonly Scenario[] = [
  {
    title: "an object with a solid owner stays",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner"] });
    },
    left: ["a/child", "a/owner"],
    log: [],
  },
  {
    title: "the owner may be heard of after its dependent",
    given(world) {
      world.make("a/child", { owners: ["a/owner"] });
      world.make("a/owner");
    },
    left: ["a/child", "a/owner"],
    log: [],
  },
  {
    title: "what an owner owned goes after it, at the version that was judged",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner"] });
      world.make("a/grandchild", { owners: ["a/child"] });
    },
    when: (world) => world.remove("a/owner"),
    left: [],
    log: ["delete a/child Background@version", "delete a/grandchild Background@version"],
  },
  {
    title: "an owner that never was is absent",
    given: (world) => world.make("a/child", { owners: ["a/never"] }),
    left: [],
    log: ["delete a/child Background@version"],
  },
  {
    title: "an owner of the same name and another uid is absent",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner#before"] });
    },
    left: ["a/owner"],
    log: ["delete a/child Background@version"],
  },
  {
    title: "an owner of an unknown kind is neither there nor absent",
    given: (world) => world.make("a/child", { owners: ["a/owner:Widget"] }),
    left: ["a/child"],
    log: [],
  },
  {
    title: "an unknown kind saves an object whose other owner is gone",
    given: (world) => world.make("a/child", { owners: ["a/never", "a/owner:Widget"] }),
    left: ["a/child"],
    log: [],
  },
  {
    title: "an owner in another namespace is absent",
    given(world) {
      world.make("b/owner");
      world.make("a/child", { owners: ["b/owner"] });
    },
    left: ["b/owner"],
    log: ["delete a/child Background@version"],
  },
  {
    title: "the same, heard of in the other order",
    given(world) {
      world.make("a/child", { owners: ["b/owner"] });
      world.make("b/owner");
      world.make("b/child", { owners: ["b/owner"] });
    },
    left: ["b/child", "b/owner"],
    log: ["delete a/child Background@version"],
  },
  {
    title: "a cluster-wide owner owns in every namespace",
    given(world) {
      world.make("root");
      world.make("a/child", { owners: ["root"] });
      world.make("b/child", { owners: ["root"] });
    },
    left: ["a/child", "b/child", "root"],
    log: [],
  },
  {
    title: "what a cluster-wide owner owned goes in every namespace, also where it was never seen",
    given(world) {
      world.make("a/child", { owners: ["root"] });
      world.make("b/child", { owners: ["root"] });
    },
    left: [],
    log: ["delete a/child Background@version", "delete b/child Background@version"],
  },
  {
    title: "a cluster-wide object with an owner that has a namespace is never collected",
    given: (world) => world.make("root", { owners: ["a/never"] }),
    left: ["root"],
    log: [],
  },
  {
    title: "a reference of another kind is absent where no such object is",
    given(world) {
      world.make("a/owner");
      world.make("a/good", { owners: ["a/owner"] });
      world.make("a/bad", { owners: ["a/owner:Other"] });
    },
    left: ["a/good", "a/owner"],
    log: ["delete a/bad Background@version"],
  },
  {
    title: "of two that disagree about an owner that is gone both are collected",
    given(world) {
      world.make("a/one", { owners: ["a/never:Other"] });
      world.make("a/two", { owners: ["a/never"] });
      world.make("b/three", { owners: ["a/never"] });
    },
    left: [],
    log: ["delete a/one Background@version", "delete a/two Background@version", "delete b/three Background@version"],
  },
  {
    title: "one owner is left",
    given(world) {
      world.make("a/stays");
      world.make("a/goes");
      world.make("a/child", { owners: ["a/goes", "a/stays"] });
    },
    when: (world) => world.remove("a/goes"),
    left: ["a/child", "a/stays"],
    log: ["write a/child"],
  },
  {
    title: "in the foreground dependents go first, the deepest before",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner!"] });
      world.make("a/grandchild", { owners: ["a/child!"] });
    },
    when: (world) => world.remove("a/owner", "Foreground"),
    left: [],
    log: [
      "delete a/child Foreground@version",
      "delete a/grandchild Background@version",
      "write a/child",
      "write a/owner",
    ],
  },
  {
    title: "in the foreground one that does not block is deleted and not waited for",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner"], finalizers: ["hold"] });
    },
    when: (world) => world.remove("a/owner", "Foreground"),
    left: ["a/child"],
    log: ["delete a/child Background@version", "write a/owner"],
  },
  {
    title: "in the foreground one that blocks is waited for",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner!"], finalizers: ["hold"] });
    },
    when: (world) => world.remove("a/owner", "Foreground"),
    left: ["a/child", "a/owner"],
    log: ["delete a/child Background@version"],
  },
  {
    title: "orphans stay without the reference",
    given(world) {
      world.make("a/owner");
      world.make("a/other");
      world.make("a/child", { owners: ["a/owner", "a/other"] });
    },
    when: (world) => world.remove("a/owner", "Orphan"),
    left: ["a/child", "a/other"],
    log: ["write a/child", "write a/owner"],
  },
  {
    title: "one that wants its dependents orphaned gets its wish when it is collected",
    given(world) {
      world.make("a/owner");
      world.make("a/child", { owners: ["a/owner"], finalizers: ["orphan"] });
      world.make("a/grandchild", { owners: ["a/child"] });
    },
    when: (world) => world.remove("a/owner"),
    left: ["a/grandchild"],
    log: ["delete a/child Orphan@version", "write a/grandchild", "write a/child"],
  },
  {
    title: "what is heard of after the owner that left it behind is set free as well",
    given: (world) => world.make("a/owner"),
    async when(world) {
      world.remove("a/owner", "Orphan");
      await world.settle();
      world.make("a/child", { owners: ["a/owner"] });
    },
    left: ["a/child"],
    log: ["write a/owner", "write a/child"],
  },
  {
    title: "what one owner left behind goes when the other is gone",
    given(world) {
      world.make("a/owner");
      world.make("a/other");
    },
    async when(world) {
      world.remove("a/owner", "Orphan");
      world.remove("a/other");
      await world.settle();
      world.make("a/child", { owners: ["a/owner", "a/other"] });
    },
    left: [],
    log: ["write a/owner", "write a/child", "delete a/child Background@version"],
  },
  {
    title: "a circle goes when one of it is deleted",
    given(world) {
      world.make("a/one", { owners: ["a/two"] });
      world.make("a/two", { owners: ["a/one"] });
    },
    when: (world) => world.remove("a/one"),
    left: [],
    log: ["delete a/two Background@version"],
  },
  {
    title: "a circle that blocks goes in the foreground too",
    given(world) {
      world.make("a/one", { owners: ["a/two!"] });
      world.make("a/two", { owners: ["a/one!"] });
    },
    when: (world) => world.remove("a/one", "Foreground"),
    left: [],
    log: ["write a/two", "delete a/two Foreground", "write a/one", "write a/two"],
  },
];

for (const { title, given, when, left, log } of scenarios) {
  test(title, async () => {
    const world = createWorld();
    given(world);
    await world.settle();
    await when?.(world);
    await world.settle();
    assert.deepEqual(world.names(), left);
    assert.deepEqual([...world.log].sort(), [...log].sort());
  });
}

test("dependents of an owner in another namespace are told of once both are known", async () => {
  const orders = [
    ["owner", "child"],
    ["child", "owner"],
  ];
  for (const order of orders) {
    const world = createWorld();
    for (const which of order) {
      if (which === "owner") world.make("b/owner");
      else world.make("a/child", { owners: ["b/owner"] });
    }
    world.see();
    assert.deepEqual(world.elsewhere, ["a/child"]);
  }
});

test("an object that changes while it is judged is judged anew where its owners changed, else deleted all the same", async () => {
  const changed = new ApiError("Conflict", "");
  const world = createWorld();
  world.make("a/child", { owners: ["a/never"] });
  world.see();
  world.failOnce("delete a/child", changed);
  assert.equal(await world.examine("a/child"), "deleted");
  assert.deepEqual(world.log, ["delete a/child Background@version", "delete a/child Background"]);
});

test("what the server does not answer is tried again and changes nothing", async () => {
  const world = createWorld();
  world.make("a/child", { owners: ["a/never"] });
  world.see();
  world.failOnce("get a/never", new ApiError("ServiceUnavailable", ""));
  await assert.rejects(world.examine("a/child"), { reason: "ServiceUnavailable" });
  world.failOnce("delete a/child", new ApiError("Timeout", ""));
  await assert.rejects(world.examine("a/child"), { reason: "Timeout" });
  assert.deepEqual(world.names(), ["a/child"]);
  assert.equal(await world.examine("a/child"), "deleted");
});

test("an object that is being deleted already is let alone", async () => {
  const world = createWorld();
  world.make("a/child", { owners: ["a/never"], finalizers: ["hold"] });
  world.remove("a/child");
  await world.settle();
  assert.deepEqual(world.log, []);
});

/** The same in a few lines: whoever has owners and none of them is there goes, again and again. */
function createModel() {
  const owners = new Map<string, readonly string[]>();
  const ending = new Set<string>();
  const canOwn = (owner: string, dependent: string): boolean =>
    !owner.includes("/") || owner.split("/")[0] === dependent.split("/")[0];
  return {
    make: (name: string, of: readonly string[]) => void owners.set(name, of),
    remove: (name: string, how: string) => void (how === "Foreground" ? ending.add(name) : owners.delete(name)),
    settle() {
      for (const name of ending) owners.delete(name);
      const isLost = ([name, of]: [string, readonly string[]]): boolean =>
        of.length > 0 && !of.some((owner) => canOwn(owner, name) && owners.has(owner));
      for (let lost = [...owners].filter(isLost); lost.length > 0; lost = [...owners].filter(isLost)) {
        for (const [name] of lost) owners.delete(name);
      }
    },
    names: () => [...owners.keys()].sort(),
  };
}

test("whatever comes in whatever order, just those are left that need no owner or have one", async () => {
  const names = ["a/1", "a/2", "a/3", "b/4", "root"];
  const name = fc.constantFrom(...names);
  const how = fc.constantFrom("Background" as const, "Foreground" as const);
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("make" as const), name, owners: fc.subarray(names) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), name, how }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("see" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 15 }), async (actions) => {
      const world = createWorld();
      const model = createModel();
      const used = new Set<string>();
      const named = new Set<string>();
      for (const step of actions) {
        if (step.do === "see") world.see();
        else if (step.do === "settle") {
          await world.settle();
          model.settle();
          for (const owner of named) used.add(owner);
        } else if (step.do === "remove") {
          if (world.object(step.name) === undefined) continue;
          world.remove(step.name, step.how);
          model.remove(step.name, step.how);
        } else if (!used.has(step.name)) {
          // A uid that was there, or was looked for in vain, is never given again; what has no namespace has no owner in one.
          used.add(step.name);
          const owners = step.owners.filter((o) => o !== step.name && step.name !== "root");
          for (const owner of owners) named.add(owner);
          world.make(step.name, { owners });
          model.make(step.name, owners);
        }
      }
      await world.settle();
      model.settle();
      assert.deepEqual(world.names(), model.names(), world.log.join(", "));
    }),
    { numRuns: 500 },
  );
});
