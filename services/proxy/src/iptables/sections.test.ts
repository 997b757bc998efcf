import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { followChanges } from "../testing/follow-changes.js";
import { golden } from "../testing/golden.js";
import { createIptablesKernel } from "../testing/iptables-kernel.js";
import { anyChanges } from "../testing/random-cluster.js";
import { createIptablesRuleset } from "./ruleset.js";
import { inSections, removalOf, sectionLines } from "./sections.js";
import { chainNames } from "./words.js";

const names = chainNames("KUBE-");
const leftOver = "*nat\n:KUBE-SVC-OLD - [0:0]\n:KUBE-SEP-OLD - [0:0]\n-A KUBE-SVC-OLD -j KUBE-SEP-OLD\nCOMMIT\n";

const sectionsOf = (text: string): readonly string[] => text.split(/(?<=^COMMIT\n)/m);
const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && line !== "COMMIT" && !line.startsWith("*"))
    .sort();

test("what is small stays as it is", () => {
  const rules = (count: number): string =>
    `*nat\n:KUBE-SVC-A - [0:0]\n:KUBE-SERVICES - [0:0]\n${"-A KUBE-SVC-A -j RETURN\n".repeat(count - 2)}COMMIT\n`;
  assert.equal(inSections(rules(sectionLines), names), rules(sectionLines));
  assert.notEqual(inSections(rules(sectionLines + 1), names), rules(sectionLines + 1));
  const filter = `*filter\n${":KUBE-FORWARD - [0:0]\n".repeat(sectionLines + 1)}COMMIT\n`;
  assert.equal(inSections(filter, names), filter);
});

test("chains are filled before what leads to them, and what goes does so last", () => {
  const text = [
    ...["*filter", ":KUBE-FORWARD - [0:0]", "COMMIT", "*nat", ":KUBE-MARK-MASQ - [0:0]", ":KUBE-SERVICES - [0:0]"],
    ...[":KUBE-SVC-A - [0:0]", ":KUBE-SEP-A - [0:0]", ":KUBE-SEP-OLD - [0:0]", "-A KUBE-MARK-MASQ -j MARK --or-mark 1"],
    ...["-A KUBE-SERVICES -j KUBE-SVC-A", "-A KUBE-SVC-A -j KUBE-SEP-A", "-A KUBE-SEP-A -j KUBE-MARK-MASQ"],
    ...["-X KUBE-SEP-OLD", "COMMIT", ""],
  ].join("\n");
  assert.deepEqual(
    sectionsOf(inSections(text, names, 1)).filter((section) => section !== ""),
    [
      "*filter\n:KUBE-FORWARD - [0:0]\nCOMMIT\n",
      "*nat\n:KUBE-MARK-MASQ - [0:0]\n-A KUBE-MARK-MASQ -j MARK --or-mark 1\nCOMMIT\n",
      "*nat\n:KUBE-SEP-A - [0:0]\n-A KUBE-SEP-A -j KUBE-MARK-MASQ\nCOMMIT\n",
      "*nat\n:KUBE-SVC-A - [0:0]\n-A KUBE-SVC-A -j KUBE-SEP-A\nCOMMIT\n",
      "*nat\n:KUBE-SERVICES - [0:0]\n-A KUBE-SERVICES -j KUBE-SVC-A\nCOMMIT\n",
      "*nat\n:KUBE-SEP-OLD - [0:0]\nCOMMIT\n",
      "*nat\n-X KUBE-SEP-OLD\nCOMMIT\n",
    ],
  );
});

test("all chains that go are emptied before the first is removed", () => {
  const [a, b, c] = ["A", "B", "C"].map((name) => ({ flush: `:${name} - [0:0]`, remove: `-X ${name}` }));
  assert.equal(
    removalOf("filter", ["A", "B"], 4),
    `*filter\n${a?.flush}\n${b?.flush}\n${a?.remove}\n${b?.remove}\nCOMMIT\n`,
  );
  assert.deepEqual(
    sectionsOf(removalOf("filter", ["A", "B", "C"], 2)).filter((section) => section !== ""),
    [
      `*filter\n${a?.flush}\n${b?.flush}\nCOMMIT\n`,
      `*filter\n${c?.flush}\nCOMMIT\n`,
      `*filter\n${a?.remove}\n${b?.remove}\nCOMMIT\n`,
      `*filter\n${c?.remove}\nCOMMIT\n`,
    ],
  );
  assert.equal(removalOf("filter", [], 1), "");
});

test("sections after any changes leave what one would, and each of them can be committed by itself", () => {
  fc.assert(
    fc.property(anyChanges, fc.integer({ min: 1, max: 20 }), (changes, limit) => {
      const [kernel, whole] = [createIptablesKernel(), createIptablesKernel()];
      for (const each of [kernel, whole]) each.restore(leftOver);
      const ruleset = createIptablesRuleset({
        ...golden.options,
        ...({ family: "IPv4", localhostNodePorts: true, isLiberal: false, isFullyRandom: true } as const),
      });
      followChanges(ruleset, changes, () => {
        const { text } = ruleset.write(0, kernel.known());
        const cut = inSections(text, names, limit);
        assert.deepEqual(linesOf(cut), linesOf(text));
        // This kernel refuses a section with a rule that leads to a chain that is not there.
        for (const section of sectionsOf(cut)) kernel.restore(section);
        whole.restore(text);
        assert.deepEqual(new Map([...kernel.chains].sort()), new Map([...whole.chains].sort()));
      });
    }),
    { numRuns: 200 },
  );
});
