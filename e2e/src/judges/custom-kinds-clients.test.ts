import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildGoProgram } from "../clients/go-program.js";
import { execute, readOutcomes } from "../clients/program.js";
import { preparePython } from "../clients/python-program.js";
import type { Prepared } from "../clients/suite.js";
import { startStandalone } from "../harness/target.js";

/** Programs in other languages that define kinds while they run; each prints a line for a trial. */
interface Program {
  readonly name: string;
  readonly prepare: (folder: string) => Promise<Prepared>;
  readonly runs: readonly { readonly name: string; readonly args: readonly string[]; readonly server?: string }[];
}

async function buildGo(folder: string): Promise<Prepared> {
  const program = join(folder, "kinds");
  const missing = await buildGoProgram({ module: "go", package: "./kinds", to: program });
  return missing === undefined ? { command: [program] } : { missing };
}

const programs: readonly Program[] = [
  {
    name: "client-go",
    prepare: buildGo,
    runs: [
      { name: "in JSON", args: [] },
      {
        name: "with informers that list by watching, in CBOR",
        args: ["-stream", "-cbor"],
        server: "CBORServingAndStorage",
      },
    ],
  },
  { name: "the Python client", prepare: () => preparePython("kinds.py"), runs: [{ name: "in JSON", args: [] }] },
];

for (const { name, prepare, runs } of programs) {
  describe(`custom kinds and ${name}`, () => {
    let folder: string;
    let prepared: Prepared;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "orch-kinds-"));
      prepared = await prepare(folder);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    for (const run of runs) {
      test(run.name, async (t) => {
        if ("missing" in prepared) return t.skip(`SKIPPED: ${prepared.missing}`);
        const args = run.server === undefined ? [] : [`--feature-gates=${run.server}=true`];
        const target = await startStandalone({ dialect: "kubernetes", args });
        t.after(() => target.stop());
        const command = [...prepared.command, `--kubeconfig=${target.clientConfig}`, ...run.args];
        const { code, output, errors } = await execute(command);
        const outcomes = readOutcomes(output);
        for (const one of outcomes) await t.test(one.name, () => assert.ok(one.ok, one.reasons));
        const expected = outcomes.every(({ ok }) => ok) ? 0 : 1;
        assert.ok(outcomes.length > 1 && code === expected, `it ended with ${code}: ${errors}\n${target.log()}`);
      });
    }
  });
}
