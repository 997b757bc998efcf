import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseControllers, controllerNames, offByDefault } from "./controller.js";

const [gc, ns] = controllerNames;
const usual: readonly string[] = controllerNames.filter((name) => !offByDefault.has(name));
const others = usual.filter((name) => name !== gc);

const choices: readonly (readonly [items: readonly string[], names: readonly string[]])[] = [
  [["*"], usual],
  [
    ["*", "tokencleaner"],
    controllerNames.filter((name) => usual.includes(name) || name === "token-cleaner-controller"),
  ],
  [[], []],
  [[ns], [ns]],
  [["*", `-${gc}`], others],
  [[`-${gc}`, "*"], others],
  [[`-${gc}`], []],
  [[gc, `-${gc}`], [gc]],
  [[`-${gc}`, gc, "*"], others],
  [["*", "-garbagecollector"], others],
  [["garbagecollector", `-${gc}`], [gc]],
  [["namespace"], [ns]],
  [["*", "-selinux-warning"], usual],
];

for (const [items, names] of choices) {
  test(`--controllers=${items.join(",")} is ${names.length === 0 ? "none" : names.join(", ")}`, () => {
    const chosen = chooseControllers(items, controllerNames);
    assert.ok(chosen.ok);
    assert.deepEqual([...chosen.names], names);
  });
}

for (const item of ["foo", "-foo", "-*", "**", ""]) {
  test(`--controllers=${item} is refused`, () => {
    const chosen = chooseControllers(["*", item], controllerNames);
    assert.ok(!chosen.ok);
    const name = item.replace(/^-/, "");
    assert.ok(chosen.problem.startsWith(`--controllers: "${name}" is not in the list of known controllers`));
  });
}
