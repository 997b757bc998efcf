import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { readStages } from "./stages-file.js";

const naming = createNaming("orch");
const head = "apiVersion: nodesimulator.config.orch/v1alpha1\nkind: NodeSimulatorConfiguration\n";
const read = (body: string) => readStages(`${head}${body}`, naming);
const none = { namespaces: [], ownerKinds: [], matchLabels: {} };

test("stages are read with what they leave out", () => {
  const body = `
stages:
- {name: jobs-end, at: Ready, to: Ended, after: 5s, jitter: 1500ms, exitCode: 2, selector: {ownerKinds: [Job], namespaces: [a], matchLabels: {x: one}}}
- {name: flap, at: Ready, to: Unready}
`;
  assert.deepEqual(read(body), {
    ok: true,
    stages: [
      {
        ...{ name: "jobs-end", at: "Ready", to: "Ended", afterMs: 5_000, jitterMs: 1_500, exitCode: 2 },
        selector: { namespaces: ["a"], ownerKinds: ["Job"], matchLabels: { x: "one" } },
      },
      { name: "flap", at: "Ready", to: "Unready", afterMs: 0, jitterMs: 0, exitCode: 0, selector: none },
    ],
  });
  assert.deepEqual(read(""), { ok: true, stages: [] });
});

for (const [what, body, problem] of [
  ["an unknown field", "stagez: []", 'strict decoding error: unknown field "stagez"'],
  [
    "an unknown field of a stage",
    "stages: [{name: a, at: Ready, to: Ended, aftr: 1s}]",
    'strict decoding error: unknown field "stages[0].aftr"',
  ],
  [
    "a point that is none",
    "stages: [{name: a, at: Sleeping, to: Ended}]",
    'strict decoding error: stages[0].at: must be one of Waiting, Running, Ready, Unready, BackOff, Ended, Terminating, not "Sleeping"',
  ],
  ["no name", "stages: [{at: Ready, to: Ended}]", "strict decoding error: stages[0].name: is needed"],
  [
    "a time that is none",
    "stages: [{name: a, at: Ready, to: Ended, after: soon}]",
    'strict decoding error: time: invalid duration "soon"',
  ],
  [
    "a time before",
    "stages: [{name: a, at: Ready, to: Ended, after: -1s}]",
    "strict decoding error: stages[0].after: must not be negative",
  ],
  [
    "a label that is no text",
    "stages: [{name: a, at: Ready, to: Ended, selector: {matchLabels: {x: true}}}]",
    "strict decoding error: stages[0].selector.matchLabels.x: must be a string",
  ],
  [
    "a code that no process ends with",
    "stages: [{name: a, at: Ready, to: Ended, exitCode: 256}]",
    "strict decoding error: stages[0].exitCode: must be between 0 and 255",
  ],
] as const) {
  test(`refused, with where it stands: ${what}`, () => {
    assert.deepEqual(read(body), { ok: false, problem });
  });
}

test("another kind is refused with the one that is read", () => {
  const refused = readStages("apiVersion: v1\nkind: Pod\n", naming);
  assert.match(
    refused.ok ? "" : refused.problem,
    /reads NodeSimulatorConfiguration of nodesimulator\.config\.orch\/v1alpha1$/,
  );
});
