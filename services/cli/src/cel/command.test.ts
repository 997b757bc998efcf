import assert from "node:assert/strict";
import { test } from "node:test";
import { runCel } from "./command.js";
import { type LiveObject, Unusable } from "./world.js";

const files = new Map([
  ["object.yaml", "replicas: 3\nname: web\n"],
  [
    "schema.yaml",
    "type: object\nproperties:\n  replicas: { type: integer }\n  name: { type: string, maxLength: 10 }\n",
  ],
  [
    "rules.yaml",
    `
rules:
  - { name: few, expression: self.replicas <= 5 }
cases:
  - { name: three, self: { replicas: 3 } }
  - { name: nine, self: { replicas: 9 }, fails: [few] }
  - { name: none, self: {}, errors: { few: no such key } }
  - { name: wrong, self: { replicas: 9 } }
`,
  ],
  [
    "cases.jsonl",
    `{"id":"a","kind":"expr","expr":"1 + 1","want":{"type":"int","value":{"int":2},"cost":1,"estimate":[1,1]}}
{"id":"b","kind":"expr","expr":"1","want":{"type":"int","value":{"int":2},"cost":0,"estimate":[0,0]}}
{"id":"c","kind":"other","want":{}}
`,
  ],
]);

const pod: LiveObject = { object: { spec: { replicas: 2 } }, view: undefined, isCustom: false };

async function orch(
  ...args: readonly string[]
): Promise<{ readonly status: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const read = (path: string): Buffer => Buffer.from(files.get(path) ?? "");
  const liveObject = async ({ reference }: { readonly reference: string }): Promise<LiveObject> => {
    if (reference !== "pods/a") throw new Unusable(`no ${reference}`);
    return pod;
  };
  const print = (text: string) => void lines.push(...text.split("\n"));
  const status = await runCel(args, { files: { read }, print, liveObject });
  return { status, lines };
}

test("an expression shows its type, estimate, cost and value", async () => {
  const { status, lines } = await orch("--file", "object.yaml", "--schema", "schema.yaml", "self.replicas + 1");
  assert.deepEqual(lines, ["type      int", "estimate  3", "cost      3", "value     4"]);
  assert.equal(status, 0);
});

test("an explained expression shows the value of every part", async () => {
  const { lines } = await orch("--explain", "--file", "object.yaml", "self.replicas > 2 && self.name.startsWith('w')");
  assert.ok(lines.includes("  self.replicas  =  3"), lines.join("\n"));
  assert.ok(lines.includes("  self.replicas > 2  =  true"), lines.join("\n"));
  assert.ok(lines.includes('  self.name.startsWith("w")  =  true'), lines.join("\n"));
});

test("an expression that does not check shows its error with its place", async () => {
  const { status, lines } = await orch("1 + 'a'");
  assert.equal(status, 1);
  assert.equal(lines[0], "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'");
});

test("rules are run over their cases, and what differs is told", async () => {
  const { status, lines } = await orch("test", "rules.yaml");
  assert.deepEqual(lines, ["wrong: few: expected true, got false", "3 held, 1 differ"]);
  assert.equal(status, 1);
});

test("rows of cases that differ are told with what was expected and what came", async () => {
  const { status, lines } = await orch("--cases", "cases.jsonl");
  assert.deepEqual(lines, [
    "b",
    '  expected {"value":{"int":2}}',
    '  got      {"value":{"int":1}}',
    "1 of kind other not run",
    "1 held, 1 differ",
  ]);
  assert.equal(status, 1);
});

test("what cannot be used is told without a stack", async () => {
  assert.equal((await orch("--var", "x", "1")).status, 2);
  assert.equal((await orch("--nonsense", "1")).status, 2);
  assert.equal((await orch("--release", "abc", "1")).status, 2);
});

test("an expression is evaluated over a live object", async () => {
  const { status, lines } = await orch("--object", "pods/a", "object.spec.replicas + 1");
  assert.equal(status, 0, lines.join("\n"));
  assert.equal(lines.at(-1), "value     3");
  assert.deepEqual(await orch("--object", "pods/b", "1"), { status: 2, lines: ["orch cel: no pods/b"] });
});
