import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "./flags.js";
import { releaseFlags, releaseSettings } from "./release-flags.js";

const program = { name: "gateway", description: "Serves.", version: "0", flags: releaseFlags } as const;

/** The settings, or why there are none. */
function settings(...argv: string[]) {
  const line = readCommandLine(program, argv);
  if (!line.run) return line.text.trimEnd();
  const read = releaseSettings(line.values);
  return read.ok ? read.value : read.problem;
}

test("without flags it is the newest release with its defaults", () => {
  const read = settings();
  assert.ok(typeof read === "object");
  assert.equal(read.release, "1.32");
  assert.equal(read.gates.enabled("WatchList"), true);
  assert.equal(read.showHiddenMetricsFor, undefined);
  assert.deepEqual(read.disabledMetrics, []);
});

test("gates and hidden metrics are those of the emulated release, whatever the order of the flags", () => {
  const argv = ["--feature-gates=AllBeta=false", "--show-hidden-metrics-for-version=1.30", "--emulated-version=1.31"];
  for (const args of [argv, [...argv].reverse()]) {
    const read = settings(...args, "--feature-gates=WatchList=true", "--disabled-metrics=a,b");
    assert.ok(typeof read === "object");
    assert.equal(read.release, "1.31");
    assert.equal(read.showHiddenMetricsFor, "1.30");
    assert.equal(read.gates.enabled("WatchList"), true);
    assert.equal(read.gates.enabled("ConsistentListFromCache"), false);
    assert.deepEqual(read.disabledMetrics, ["a", "b"]);
  }
});

test("a release is written in three ways", () => {
  for (const text of ["1.16", "kube=1.16", "orch=1.16"]) {
    const read = settings(`--emulated-version=${text}`);
    assert.ok(typeof read === "object" && read.release === "1.16", text);
  }
});

test("what can not be is refused in one line", () => {
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    ...["1.15", "1.33", "2.0", "1", "1.032", "1.31.0", "v1.31", "", "wardle=1.2"].map(
      (text) => [[`--emulated-version=${text}`], /must be a release from 1\.16 to 1\.32$/] as const,
    ),
    [["--feature-gates=WatchList=on"], /"WatchList=on" must be true or false$/],
    [["--feature-gates=WatchLst=true"], /^--feature-gates: unknown .* \(did you mean WatchList\?\)$/],
    [["--feature-gates=WatchBookmark=false"], /cannot set feature gate WatchBookmark to false: it is locked to true/],
    [["--feature-gates=CBORServingAndStorage=true", "--emulated-version=1.31"], /release 1\.31 does not have it/],
    ...["1.30", "1.32", "1.31.0", "x"].map(
      (text) =>
        [
          [`--show-hidden-metrics-for-version=${text}`],
          /-version must be 1\.31 or left out: only .* before 1\.32/,
        ] as const,
    ),
  ];
  for (const [argv, says] of rows) {
    const problem = settings(...argv);
    assert.ok(typeof problem === "string", argv.join(" "));
    assert.match(problem, says);
  }
});

test("the help lists the gates that act, --help=gates lists all", () => {
  const line = readCommandLine(program, ["--help"]);
  assert.ok(!line.run);
  assert.match(line.text, /^ +CBORServingAndStorage=true\|false \(ALPHA - default=false\)$/m);
  assert.match(line.text, /^ +--help=gates +print all gates and exit$/m);
  assert.doesNotMatch(line.text, /HPAScaleToZero/);
  const all = readCommandLine(program, ["--help=gates"]);
  assert.ok(!all.run);
  assert.equal(all.exitCode, 0);
  assert.match(all.text, /^HPAScaleToZero=true\|false \(ALPHA - default=false\)$/m);
  assert.deepEqual(readCommandLine(program, ["--help=gate"]), {
    run: false,
    exitCode: 2,
    text: `${program.name}: no help on "gate"; --help and --help=gates print what there is\n`,
  });
});
