import assert from "node:assert/strict";
import { test } from "node:test";
import { warningsOf } from "../api/client.js";
import { lineCutter } from "../api/lines.js";
import { channelText, withoutControls } from "../object/channels.js";
import { cutLine } from "../object/highlighted.js";
import { shortField } from "../object/past-states.js";
import { cellOf, parseDump } from "./dump.js";
import { samplesOf } from "./metric-lines.js";
import { whoCan } from "./who-can.js";

test("a dump of flow control is a table", () => {
  const dump = parseDump("Name, Waiting\nexempt,  0\nlow,     3\n");
  assert.deepEqual(
    dump.rows.map((row) => [cellOf(dump, row, "Name"), cellOf(dump, row, "Waiting")]),
    [
      ["exempt", "0"],
      ["low", "3"],
    ],
  );
  assert.equal(cellOf(dump, ["x"], "Nothing"), "");
});

test("the samples of one metric", () => {
  const page = `# HELP a b\nab{x="1"} 1\na{x="1,}",y="q\\"\\\\"} 2\na 3 1700000\n`;
  const samples = samplesOf(page, "a");
  assert.deepEqual(
    samples.map(({ value }) => value),
    [2, 3],
  );
  assert.deepEqual(
    [...(samples[0]?.labels ?? [])],
    [
      ["x", "1,}"],
      ["y", 'q"\\'],
    ],
  );
});

test("fields by the end of their path", () => {
  const rows = [
    ['.spec.template.spec.containers[name="web"].image', "containers[web].image"],
    ['.metadata.annotations["a.b/c"]', "metadata.annotations[a.b/c]"],
    [".data.a", "data.a"],
  ] as const;
  for (const [path, short] of rows) assert.equal(shortField(path), short);
});

test("whom roles and bindings allow something", () => {
  const role = (name: string, namespace: string, rule: object) => ({ metadata: { name, namespace }, rules: [rule] });
  const binding = (name: string, namespace: string, kind: string, of: string) => ({
    ...{ metadata: { name, namespace }, roleRef: { kind, name: of } },
    subjects: [{ kind: "User", name: `user-of-${name}` }],
  });
  const objects = {
    clusterRoles: [
      role("all", "", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }),
      role("states", "", { verbs: ["get"], apiGroups: [""], resources: ["*/status"] }),
    ],
    roles: [
      role("reader", "a", { verbs: ["get"], apiGroups: [""], resources: ["pods"] }),
      role("one", "a", { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] }),
    ],
    clusterRoleBindings: [binding("root", "", "ClusterRole", "all"), binding("watcher", "", "ClusterRole", "states")],
    roleBindings: [
      binding("r", "a", "Role", "reader"),
      binding("o", "a", "Role", "one"),
      binding("local", "b", "ClusterRole", "all"),
      binding("lost", "a", "Role", "nobody"),
    ],
  };
  const who = (deed: object): string =>
    whoCan({ ...{ verb: "get", group: "", resource: "pods", name: "", namespace: "a" }, ...deed }, objects)
      .map(({ subject }) => subject.slice("user-of-".length))
      .join(" ");
  assert.equal(who({}), "root r");
  assert.equal(who({ name: "p" }), "root r o");
  assert.equal(who({ namespace: "b" }), "root local");
  assert.equal(who({ namespace: "" }), "root");
  assert.equal(who({ resource: "pods/status" }), "root watcher");
  assert.equal(who({ verb: "delete" }), "root");
  assert.equal(who({ group: "apps" }), "root");
});

test("bytes in any pieces are lines", () => {
  const bytes = new TextEncoder().encode('{"a":"ü"}\n\n{"b":2}\nrest');
  for (const size of [1, 2, 3, 7, 100]) {
    const lines: string[] = [];
    const cut = lineCutter((line) => lines.push(line));
    for (let at = 0; at < bytes.length; at += size) cut(bytes.subarray(at, at + size));
    assert.deepEqual(lines, ['{"a":"ü"}', '{"b":2}'], String(size));
  }
});

test("warnings of a response", () => {
  assert.deepEqual(warningsOf('299 - "a, \\"b\\"", 299 - "c"'), ['a, "b"', "c"]);
  assert.deepEqual(warningsOf(null), []);
  assert.deepEqual(warningsOf('299 - "cut'), []);
});

test("a terminal's controls are not shown", () => {
  assert.equal(withoutControls("\u001b[31mred\u001b[0m\r\n\u0007\tx"), "red\n\tx");
  const message = new Uint8Array([2, 104, 105]).buffer;
  assert.deepEqual(channelText(message), { channel: "errors", text: "hi" });
  assert.deepEqual(channelText("text"), { channel: "other", text: "" });
});

test("a line of YAML in its colours", () => {
  assert.deepEqual(cutLine("  - name: a: b"), { before: "  - ", key: "name:", after: " a: b" });
  assert.deepEqual(cutLine("    http://x"), { before: "    ", key: "", after: "http://x" });
  assert.deepEqual(cutLine("# a: b"), { before: "", key: "", after: "# a: b" });
});
