import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Server, startServer } from "./command-line-program.js";

const maps = "/api/v1/namespaces/default/configmaps";
const mebibyte = 1024 * 1024;

test("bad bodies are refused, and the server serves on", async (t) => {
  const server = await startServer(t);
  await t.test("bodies", (inBodies) => rows(inBodies, server, bodies));
  await t.test("media types", (inTypes) => rows(inTypes, server, mediaTypes));
  await t.test("YAML", (inYaml) => rows(inYaml, server, yaml));
  await t.test("names", (inNames) => names(inNames, server));
  await t.test("no body changes what every object inherits", () => pollution(server));
  await t.test("an object of more than 1.5 MiB is refused", () => largeObject(server));
  await t.test("a refusal names at most a thousand causes", () => manyCauses(server));
  await t.test("any text can be warned about", () => warnings(server));
  await t.test("a flood of large bodies keeps memory bounded", () => flood(server));
  const after = await server.ask(maps, { method: "POST", headers: json, body: '{"metadata":{"name":"after"}}' });
  assert.equal(after.status, 201, after.body);
});

const json = { "Content-Type": "application/json" };

interface Row {
  readonly title: string;
  readonly body: string | Buffer;
  readonly type?: string;
  readonly status: number;
  readonly reason?: string;
  readonly message?: RegExp;
}

/** Every refusal is a Status that says its code. */
function assertRefused(answer: Answer, row: Pick<Row, "status" | "reason" | "message">): void {
  assert.equal(answer.status, row.status, answer.body.slice(0, 500));
  if (row.status < 400) return;
  const status: Record<string, unknown> = JSON.parse(answer.body);
  assert.equal(status["kind"], "Status");
  assert.equal(status["code"], row.status);
  if (row.reason !== undefined) assert.equal(status["reason"], row.reason);
  if (row.message !== undefined) assert.match(String(status["message"]), row.message);
}

async function rows(t: TestContext, server: Server, table: readonly Row[]): Promise<void> {
  for (const row of table) {
    await t.test(row.title, async () => {
      const headers = { "Content-Type": row.type ?? "application/json" };
      assertRefused(await server.ask(maps, { method: "POST", headers, body: row.body }), row);
    });
  }
}

const badRequest = { status: 400, reason: "BadRequest" } as const;
const tooLarge = { status: 413, reason: "RequestEntityTooLarge" } as const;
const created = { status: 201 } as const;
const named = (name: string, more = ""): string => `{"metadata":{"name":"${name}"}${more}}`;

const bodies: readonly Row[] = [
  { title: "nothing", body: "", ...badRequest },
  {
    title: "a truncated object",
    body: named("x").slice(0, -1),
    ...badRequest,
    message: /unexpected end of JSON input/,
  },
  { title: "a truncated text", body: '{"metadata":{"name":"x', ...badRequest },
  { title: "null", body: "null", ...badRequest },
  { title: "a list", body: "[]", ...badRequest },
  { title: "a number", body: "1", ...badRequest },
  { title: "a text", body: '"x"', ...badRequest },
  { title: "two values", body: `${named("x")}${named("y")}`, ...badRequest, message: /after top-level value/ },
  { title: "a comment", body: `/* */${named("x")}`, ...badRequest },
  { title: "a trailing comma", body: '{"metadata":{"name":"x"},}', ...badRequest },
  { title: "metadata that is a list", body: '{"metadata":[]}', ...badRequest },
  { title: "metadata that is a text", body: '{"metadata":"x"}', ...badRequest },
  { title: "a name that is a number", body: '{"metadata":{"name":1}}', ...badRequest },
  { title: "a kind that is an object", body: '{"kind":{},"metadata":{"name":"x"}}', ...badRequest },
  { title: "a number that overflows", body: named("x", ',"spec":1e999'), ...badRequest },
  { title: "an integer that would be rounded", body: named("x", ',"spec":12345678901234567890'), ...badRequest },
  { title: "NaN", body: named("x", ',"spec":NaN'), ...badRequest },
  { title: "a control character in a text", body: named("x", ',"data":{"k":"\u0001"}'), ...badRequest },
  {
    title: "invalid UTF-8",
    body: Buffer.from([...Buffer.from('{"a":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
    ...badRequest,
  },
  { title: "an overlong encoding", body: Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]), ...badRequest },
  { title: "UTF-16", body: Buffer.from(named("x"), "utf16le"), ...badRequest },
  { title: "a zero byte", body: `${named("x")}\0`, ...badRequest },
  {
    title: "compressed bytes",
    body: Buffer.from("1f8b0800000000000003abae0500435b97bd02000000", "hex"),
    ...badRequest,
  },
  {
    title: "half a surrogate pair becomes the replacement character",
    body: named("half", ',"data":{"k":"\\ud800"}'),
    ...created,
  },
  { title: "a hundred thousand lists in one another", body: "[".repeat(100_000), ...badRequest, message: /max depth/ },
  {
    title: "as many that close",
    body: `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    ...badRequest,
    message: /max depth/,
  },
  { title: "three million of them", body: "[".repeat(3 * mebibyte), ...badRequest, message: /max depth/ },
  { title: "objects in one another", body: '{"a":'.repeat(100_000), ...badRequest, message: /max depth/ },
  { title: "a key that stands twice", body: named("twice", ',"data":{"a":"1","a":"2"}'), ...created },
  {
    title: "a hundred thousand keys that stand twice",
    body: named("twices", `,"x":{${'"a":1,'.repeat(100_000)}"a":1}`),
    ...created,
  },
  {
    title: "a hundred thousand unknown fields",
    body: `{${fields(100_000)},"metadata":{"name":"unknowns"}}`,
    ...created,
  },
  {
    title: "a key of two megabytes",
    body: named("key", `,"data":{"${"k".repeat(2 * mebibyte)}":""}`),
    status: 422,
    reason: "Invalid",
  },
  { title: "a name of two megabytes", body: named("n".repeat(2 * mebibyte)), status: 422, reason: "Invalid" },
  {
    title: "data of more than 1 MiB",
    body: named("d", `,"data":{"k":"${"x".repeat(mebibyte + 1)}"}`),
    status: 422,
    reason: "Invalid",
  },
  {
    title: "annotations of more than 256 KiB",
    body: `{"metadata":{"name":"a","annotations":{"k":"${"x".repeat(mebibyte)}"}}}`,
    status: 422,
    reason: "Invalid",
  },
  { title: "more than 3 MiB", body: "x".repeat(3 * mebibyte + 1), ...tooLarge, message: /limit is 3145728/ },
  { title: "much more than 3 MiB", body: "x".repeat(12 * mebibyte), ...tooLarge },
];

function fields(count: number): string {
  return Array.from({ length: count }, (_, i) => `"f${i}":1`).join(",");
}

const unsupported = { status: 415, reason: "UnsupportedMediaType" } as const;
const body = named("typed");

const mediaTypes: readonly Row[] = [
  { title: "text", type: "text/plain", body, ...unsupported },
  { title: "a form", type: "application/x-www-form-urlencoded", body, ...unsupported },
  { title: "an image", type: "image/png", body, ...unsupported },
  { title: "anything", type: "*/*", body, ...unsupported },
  { title: "no type at all", type: "json", body, ...unsupported },
  { title: "a patch", type: "application/merge-patch+json", body, ...unsupported },
  { title: "a type with garbage behind it", type: "application/json garbage", body, ...unsupported },
  { title: "a name that every object has", type: "constructor", body, ...unsupported },
  { title: "an empty one is JSON", type: "", body, ...created },
  { title: "JSON in capitals", type: "Application/JSON", body: named("capitals"), ...created },
];

const bomb = [
  "a: &a [x,x,x,x,x,x,x,x,x]",
  ..."bcdefghij".split("").map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefghij"[i]}`).join(",")}]`),
].join("\n");

const yamlType = { type: "application/yaml" } as const;
const yaml: readonly Row[] = [
  { title: "aliases of aliases of aliases", body: `metadata: {name: bomb}\n${bomb}\n`, ...yamlType, ...badRequest },
  { title: "an alias of itself", body: "metadata: &m {name: x, labels: *m}\n", ...yamlType, ...badRequest },
  { title: "an alias of nothing", body: "metadata: *m\n", ...yamlType, ...badRequest },
  { title: "two documents", body: "metadata: {name: x}\n---\nmetadata: {name: y}\n", ...yamlType, ...badRequest },
  { title: "ten thousand documents", body: "---\nmetadata: {name: x}\n".repeat(10_000), ...yamlType, ...badRequest },
  { title: "a tag of another language", body: "metadata: !!js/function 'x'\n", ...yamlType, ...badRequest },
  { title: "lists in one another", body: "[".repeat(100_000), ...yamlType, ...badRequest },
  {
    title: "blocks in one another",
    body: Array.from({ length: 1_500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
    ...yamlType,
    ...badRequest,
  },
  { title: "dashes in one another", body: "- ".repeat(100_000), ...yamlType, ...badRequest },
  { title: "a tab for indentation", body: "metadata:\n\tname: x\n", ...yamlType, ...badRequest },
  { title: "invalid UTF-8", body: Buffer.from([0x61, 0x3a, 0x20, 0xff]), ...yamlType, ...badRequest },
  { title: "a plain text", body: "x", ...yamlType, ...badRequest },
  { title: "nothing but a comment", body: "# x\n", ...yamlType, ...badRequest },
  { title: "a key that is a map", body: "? {a: b}\n: c\n", ...yamlType, ...badRequest },
  {
    title: "ten thousand anchors",
    body: `metadata: {name: anchors}\nx: [${Array.from({ length: 10_000 }, (_, i) => `&a${i} 1`).join(",")}]\n`,
    ...yamlType,
    ...created,
  },
];

const badNames = [
  "",
  ".",
  "..",
  "-a",
  "a-",
  "a_b",
  "A",
  "a..b",
  ".a",
  "a.",
  "a/b",
  "a%2Fb",
  "../a",
  "a b",
  " a",
  "a\\u0000b",
  "a\\n",
  "ä",
  "ａ",
  "__proto__",
  "a".repeat(254),
] as const;

async function names(t: TestContext, server: Server): Promise<void> {
  for (const name of badNames) {
    await t.test(`the name ${JSON.stringify(name.slice(0, 20))} of ${name.length} characters`, async () => {
      const answer = await server.ask(maps, { method: "POST", headers: json, body: named(name) });
      assertRefused(answer, { status: 422, reason: "Invalid", message: /metadata\.name/ });
    });
  }
}

async function pollution(server: Server): Promise<void> {
  const texts = [
    '{"__proto__":{"polluted":"yes"},"metadata":{"name":"p1"}}',
    '{"constructor":{"prototype":{"polluted":"yes"}},"metadata":{"name":"p2"}}',
    '{"metadata":{"name":"p3","__proto__":{"namespace":"kube-system","polluted":"yes"}}}',
  ];
  for (const text of texts) {
    const answer = await server.ask(maps, { method: "POST", headers: json, body: text });
    assert.equal(answer.status, 201, answer.body);
    const object: { metadata: Record<string, unknown> } = JSON.parse(answer.body);
    assert.equal(object.metadata["namespace"], "default");
    assert.doesNotMatch(answer.body, /polluted/);
  }
  // A key like any other where keys are free, and no label.
  const data = '{"metadata":{"name":"p4"},"data":{"__proto__":"v","constructor":"w"}}';
  const answer = await server.ask(maps, { method: "POST", headers: json, body: data });
  assert.equal(answer.status, 201, answer.body);
  assert.match((await server.ask(`${maps}/p4`)).body, /"data":\{"__proto__":"v","constructor":"w"\}/);
  const labels = '{"metadata":{"name":"p5","labels":{"__proto__":"v"}}}';
  assertRefused(await server.ask(maps, { method: "POST", headers: json, body: labels }), { status: 422 });
  const selected = await server.ask(`${maps}?labelSelector=constructor`);
  assert.deepEqual(JSON.parse(selected.body).items, []);
}

async function largeObject(server: Server): Promise<void> {
  const env = Array.from({ length: 20_000 }, (_, i) => ({ name: `N${i}`, value: "v".repeat(100) }));
  const pod = { metadata: { name: "large" }, spec: { containers: [{ name: "c", image: "i", env }] } };
  const answer = await server.ask("/api/v1/namespaces/default/pods", {
    method: "POST",
    headers: json,
    body: JSON.stringify(pod),
  });
  assertRefused(answer, { ...tooLarge, message: /1572864/ });
}

async function manyCauses(server: Server): Promise<void> {
  const labels = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`-${i}`, ""]));
  const object = JSON.stringify({ metadata: { name: "many", labels } });
  const answer = await server.ask(maps, { method: "POST", headers: json, body: object });
  assertRefused(answer, { status: 422, reason: "Invalid" });
  assert.ok(answer.body.length < mebibyte, `${answer.body.length} bytes`);
}

async function warnings(server: Server): Promise<void> {
  const object = { metadata: { name: "warned" }, "ключ\u007f\n": 1, 日本: 2 };
  const answer = await server.ask(maps, { method: "POST", headers: json, body: JSON.stringify(object) });
  assert.equal(answer.status, 201, answer.body);
  const text = Buffer.from(String(answer.headers["warning"]), "latin1").toString("utf8");
  assert.match(text, /unknown field .*ключ/);
  assert.match(text, /日本/);
}

async function flood(server: Server): Promise<void> {
  const large = named("flood", `,"x":"${"x".repeat(2.9 * mebibyte)}"`);
  const one = async (): Promise<void> => {
    for (let done = 0; done < 5; ) {
      const answer = await server.ask(`${maps}?dryRun=All`, { method: "POST", headers: json, body: large });
      if (answer.status === 201) done++;
      // So many of one client wait, the others are to come later.
      else if (answer.status === 429) await pause(50);
      else assert.fail(answer.body.slice(0, 200));
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  const resident = await server.metric("process_resident_memory_bytes");
  assert.ok(resident < 700 * mebibyte, `${Math.round(resident / mebibyte)} MiB resident`);
}
