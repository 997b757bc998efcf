import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseControllers, controllerNames } from "./controller.js";

const [gc, ns, sa, ...certificates] = controllerNames;

const choices: readonly (readonly [items: readonly string[], names: readonly string[]])[] = [
  [["*"], [gc, ns, sa, ...certificates]],
  [[], []],
  [[ns], [ns]],
  [
    ["*", `-${gc}`],
    [ns, sa, ...certificates],
  ],
  [
    [`-${gc}`, "*"],
    [ns, sa, ...certificates],
  ],
  [[`-${gc}`], []],
  [[gc, `-${gc}`], [gc]],
  [
    [`-${gc}`, gc, "*"],
    [ns, sa, ...certificates],
  ],
];

for (const [items, names] of choices) {
  test(`--controllers=${items.join(",")} is ${names.length === 0 ? "none" : names.join(", ")}`, () => {
    const chosen = chooseControllers(items);
    assert.ok(chosen.ok);
    assert.deepEqual([...chosen.names], names);
  });
}

for (const item of ["foo", "-foo", "-*", "**", ""]) {
  test(`--controllers=${item} is refused`, () => {
    const chosen = chooseControllers(["*", item]);
    assert.ok(!chosen.ok);
    const name = item.replace(/^-/, "");
    assert.ok(chosen.problem.startsWith(`--controllers: "${name}" is not in the list of known controllers`));
  });
}
