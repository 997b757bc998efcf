import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { commandLine } from "./command-line.js";
import { configurationFile } from "./configuration-file.js";

function read(fields: string, ...argv: readonly string[]) {
  const head = "apiVersion: orchscheduler.config.orch/v1\nkind: OrchSchedulerConfiguration\n";
  const of = configurationFile(createNaming("orch")).read([`${head}${fields}\n`]);
  assert.ok(of.ok, of.ok ? "" : of.problems.join("; "));
  const line = readCommandLine({ ...commandLine, version: "1" }, argv, of.component.occurrences);
  assert.ok(line.run, line.run ? "" : line.text);
  return { profiling: line.values.profiling, notes: of.component.notes };
}

test("profiling is on unless the file or a flag disables it", () => {
  assert.deepEqual(read("parallelism: 8"), { profiling: true, notes: [] });
  assert.deepEqual(read("enableProfiling: false"), { profiling: false, notes: [] });
  assert.deepEqual(read("enableProfiling: false", "--profiling"), { profiling: true, notes: [] });
});

test("a document that wants a profile of contention is told that there is none, a default is not", () => {
  const notes = [
    "OrchSchedulerConfiguration: enableContentionProfiling is not acted on: Node.js has no profile of contention",
  ];
  assert.deepEqual(read("enableContentionProfiling: true").notes, notes);
  assert.deepEqual(read("enableContentionProfiling: false").notes, []);
});
