import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createMachine } from "../machine/machine.js";
import { unifiedDiff } from "./line-diff.js";
import { enforcePolicy, policyProblems } from "./policy.js";
import { swapManifests } from "./swap.js";
import { compareVersions, parseVersion, versionOf } from "./versions.js";
import type { Change } from "./wanted-manifests.js";

test("versions are in the order of their releases", () => {
  const ordered = [
    "v1.9.9",
    "v1.31.0",
    "1.32.0-alpha.9",
    "1.32.0-alpha.10",
    "v1.32.0-beta",
    "v1.32.0-rc.1",
    "v1.32.0-rc.1.x",
  ];
  const all = [...ordered, "v1.32.0+build", "v1.32.1"].map(versionOf);
  for (const [i, a] of all.entries()) {
    for (const [j, b] of all.entries()) assert.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${i} ${j}`);
  }
  for (const text of ["", "1.32", "v1.32.x", "v1.2.3.4", "latest", `v1.2.${"9".repeat(400)}`]) {
    assert.equal(parseVersion(text), undefined, text);
  }
});

describe("what speaks against an upgrade", () => {
  const own = "v1.32.4";
  const rows: readonly (readonly [
    what: string,
    given: { readonly target: string; readonly cluster?: string; readonly agents?: readonly string[] },
    fatal: RegExp | undefined,
    doubtful: RegExp | undefined,
  ])[] = [
    ["nothing, for the next patch", { target: "v1.32.4", cluster: "v1.32.1" }, undefined, undefined],
    ["nothing, for the next minor", { target: "v1.32.0", cluster: "v1.31.9" }, undefined, undefined],
    ["nothing, for the same version", { target: "v1.32.1", cluster: "v1.32.1" }, undefined, undefined],
    [
      "a minor that this program does not know",
      { target: "v1.33.0" },
      /at least one minor release higher .* \(33 > 32\)/,
      undefined,
    ],
    [
      "a patch newer than this program",
      { target: "v1.32.5" },
      undefined,
      /is higher than the orchadm version "v1\.32\.4"/,
    ],
    [
      "two minors at once",
      { target: "v1.32.0", cluster: "v1.30.9" },
      /is too high; orchadm can upgrade only 1 minor/,
      undefined,
    ],
    [
      "an older patch",
      { target: "v1.32.0", cluster: "v1.32.3" },
      undefined,
      /is lower than the version of the cluster/,
    ],
    [
      "an older minor",
      { target: "v1.31.9", cluster: "v1.32.0" },
      /is lower than the version of the cluster/,
      undefined,
    ],
    [
      "agents that are too old",
      { target: "v1.32.0", agents: ["v1.28.9", "v1.29.0", ""] },
      undefined,
      /too old: v1\.28\.9$/,
    ],
    ["a beta", { target: "v1.32.0-beta.1", cluster: "v1.31.0" }, undefined, /--allow-experimental-upgrades$/],
    ["a candidate", { target: "v1.32.0-rc.1", cluster: "v1.31.0" }, undefined, /--allow-release-candidate-upgrades$/],
  ];
  for (const [what, { target, cluster = "v1.32.0", agents = [] }, fatal, doubtful] of rows) {
    test(what, () => {
      const versions = { target, cluster, own, agents, program: "orchadm" };
      const found = policyProblems(versions, { experimental: false, candidates: false });
      for (const [problems, wanted] of [
        [found.fatal, fatal],
        [found.doubtful, doubtful],
      ] as const) {
        assert.equal(problems.length, wanted === undefined ? 0 : 1, problems.join());
        if (wanted !== undefined) assert.match(problems[0] ?? "", wanted);
      }
      if (/beta|rc/.test(target)) {
        assert.deepEqual(policyProblems(versions, { experimental: true, candidates: true }).doubtful, []);
      }
    });
  }

  test("--force passes over what is not fatal", () => {
    assert.throws(() => enforcePolicy({ fatal: ["a"], doubtful: ["b"] }, true), /fatal errors:\n\n\t- a\n\t- b\n/);
    assert.throws(() => enforcePolicy({ fatal: [], doubtful: ["b"] }, false), /--force flag$/);
    assert.deepEqual(enforcePolicy({ fatal: [], doubtful: ["b"] }, true), ["b"]);
    assert.deepEqual(enforcePolicy({ fatal: [], doubtful: [] }, false), []);
  });
});

describe("the difference of two texts", () => {
  const texts: readonly (readonly [before: string, after: string])[] = [
    ["a\nb\nc\n", "a\nx\nc\n"],
    ["", "a\nb\n"],
    ["a\nb\n", ""],
    ["1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\nx\n4\n5\n6\n7\ny\n9\nz\n"],
    ["1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"],
    ["a\na\na\nb\n", "a\nb\na\nb\n"],
  ];
  for (const [before, after] of texts) {
    for (const context of [0, 1, 3]) {
      test(`patch makes the one of the other: ${JSON.stringify([before, after])}, context ${context}`, () => {
        const folder = mkdtempSync(join(tmpdir(), "orchadm-diff-"));
        try {
          const file = join(folder, "file");
          writeFileSync(file, before);
          writeFileSync(join(folder, "after"), after);
          const diff = unifiedDiff(before, after, { before: "file", after: "file", context });
          // GNU diff counts the lines of its parts in the same way.
          const judge = ((): string => {
            try {
              return execFileSync("diff", [`-U${context}`, file, join(folder, "after")]).toString();
            } catch (error) {
              return String(Object.entries(error ?? {}).find(([key]) => key === "stdout")?.[1] ?? "");
            }
          })();
          const marks = (text: string): readonly string[] => text.split("\n").filter((line) => line.startsWith("@@"));
          assert.equal(marks(diff).length, marks(judge).length);
          assert.equal(applied(before, diff), after);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  }

  test("equal texts have none", () => {
    assert.equal(unifiedDiff("a\n", "a\n", { before: "", after: "", context: 3 }), "");
  });

  /** A text after a unified diff, by the places that its parts name. */
  function applied(before: string, diff: string): string {
    const lines = before === "" ? [] : before.replace(/\n$/, "").split("\n");
    const made: string[] = [];
    let at = 0;
    for (const line of diff.split("\n").slice(2)) {
      const [, from, count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
      if (from !== undefined) {
        const start = Number(from) - (count === "0" ? 0 : 1);
        made.push(...lines.slice(at, start));
        at = start;
      } else if (line.startsWith("+")) made.push(line.slice(1));
      else if (line !== "") {
        assert.equal(lines[at], line.slice(1));
        if (line.startsWith(" ")) made.push(line.slice(1));
        at += 1;
      }
    }
    made.push(...lines.slice(at));
    return made.length === 0 ? "" : `${made.join("\n")}\n`;
  }
});

describe("manifests that change one after the other", () => {
  const change = (component: Change["component"], wanted = "new"): Change => ({
    ...{ component, name: component, path: `/manifests/${component}.yaml`, before: "old", wanted },
  });

  /** What happened, in order; `fails` says which unit does not start by which text. */
  async function swap(changes: readonly Change[], fails: (name: string, text: string) => boolean) {
    const folder = mkdtempSync(join(tmpdir(), "orchadm-swap-"));
    const machine = createMachine(folder);
    for (const { path, before } of changes) machine.write(path, before);
    const happened: string[] = [];
    try {
      const problem = await swapManifests(changes, {
        ...{ machine, print: () => {}, backup: "/backup" },
        async prepare({ name }) {
          happened.push(`prepare ${name}`);
        },
        async restart({ name, path }, text) {
          assert.equal(machine.read(path), text);
          happened.push(`${name} by the ${text}`);
          if (fails(name, text)) throw new Error(`${name} hangs`);
        },
      }).then(
        () => "",
        (error: Error) => error.message,
      );
      const left = changes.map(({ path }) => machine.read(path));
      return { happened, problem, left, backup: machine.list("/backup") };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test("each waits for the one before, equal ones are left alone, old ones are kept", async () => {
    const changes = [change("etcd", "old"), change("apiserver"), change("scheduler")];
    assert.deepEqual(await swap(changes, () => false), {
      happened: ["prepare apiserver", "apiserver by the new", "prepare scheduler", "scheduler by the new"],
      ...{ problem: "", left: ["old", "new", "new"], backup: ["apiserver.yaml", "scheduler.yaml"] },
    });
  });

  test("where one does not become well all become what they were, the last one first", async () => {
    const changes = [change("apiserver"), change("scheduler"), change("controller-manager")];
    const { happened, problem, left } = await swap(changes, (name, text) => name === "scheduler" && text === "new");
    assert.deepEqual(happened, [
      ...["prepare apiserver", "apiserver by the new", "prepare scheduler", "scheduler by the new"],
      ...["scheduler by the old", "apiserver by the old"],
    ]);
    assert.deepEqual(left, ["old", "old", "old"]);
    assert.match(problem, /^couldn't upgrade control plane\. .* Errors faced: scheduler hangs$/);
  });

  test("what cannot be put back is told, and the rest is put back all the same", async () => {
    const changes = [change("apiserver"), change("scheduler")];
    const { problem, left } = await swap(changes, (name) => name === "scheduler");
    assert.deepEqual(left, ["old", "old"]);
    assert.match(problem, /scheduler hangs; scheduler could not be put back: scheduler hangs$/);
  });
});
