import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { printCbor } from "@orch/codec/cbor/print.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { type Answer, connect, type Http } from "./harness/http.js";
import { freshNamespace } from "./harness/manifests.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";

/** Random patches and configurations against live objects: every answer is one, and the objects stay whole. */
let target: StandaloneTarget;
let http: Http;
let namespace: string;
before(async () => {
  const args = ["--secure-port=0", "--feature-gates=CBORServingAndStorage=true"];
  target = await startStandalone({ dialect: "kubernetes", args });
  http = connect(target);
  namespace = await freshNamespace(http);
});
after(async () => {
  http.close();
  await target.stop();
});

const mediaTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
  cbor: "application/apply-patch+cbor",
} as const;
type Type = keyof typeof mediaTypes;
const types: readonly Type[] = ["json", "merge", "strategic", "apply", "cbor"];

const labels = { app: "web" };
const container = { name: "c", image: "example.com/c:1", ports: [{ containerPort: 80 }], args: ["a", "b"] };
const podSpec = { containers: [container], volumes: [{ name: "v", emptyDir: {} }] };
const template = { metadata: { labels }, spec: podSpec };

interface Living {
  readonly resource: string;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: object };
}

const living: readonly Living[] = [
  { resource: "configmaps", object: { apiVersion: "v1", kind: "ConfigMap", metadata: {}, ...{ data: { a: "1" } } } },
  {
    resource: "services",
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: {},
      ...{ spec: { selector: labels, ports: [{ port: 80 }] } },
    },
  },
  { resource: "pods", object: { apiVersion: "v1", kind: "Pod", metadata: {}, ...{ spec: podSpec } } },
  {
    resource: "deployments",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {},
      ...{ spec: { selector: { matchLabels: labels }, template } },
    },
  },
];

const pathOf = ({ resource, object }: Living, name: string): string =>
  `/${object.apiVersion === "v1" ? "api" : "apis"}/${object.apiVersion}/namespaces/${namespace}/${resource}/${name}`;

/** Names that mean something somewhere, and some that mean nothing. */
const names = [
  ...["metadata", "spec", "status", "data", "kind", "apiVersion", "name", "namespace", "labels", "annotations", "uid"],
  ...["finalizers", "managedFields", "ownerReferences", "resourceVersion", "generation", "deletionTimestamp"],
  ...["template", "containers", "initContainers", "image", "ports", "port", "containerPort", "protocol", "args", "env"],
  ...["replicas", "selector", "matchLabels", "strategy", "rollingUpdate", "maxSurge", "type", "volumes", "emptyDir"],
  ...["clusterIP", "clusterIPs", "ipFamilies", "nodePort", "resources", "limits", "cpu", "tolerations", "conditions"],
  ...[
    "$patch",
    "$retainKeys",
    "$setElementOrder/containers",
    "$setElementOrder/ports",
    "$deleteFromPrimitiveList/args",
  ],
  ...["$deleteFromPrimitiveList/finalizers", "__proto__", "constructor", "", "/", "~1", "0", "-", "f:metadata", "."],
];
const values = [
  ...[null, true, 0, 1, -1, 80, 1.5, 2 ** 31, 1e21, "", "a", "c", "web", "TCP", "delete", "replace", "merge", "1Gi"],
  ...[
    "example.com/a",
    "v1",
    "ConfigMap",
    "2026-01-01T00:00:00Z",
    "\u0000",
    "é\ud800",
    "10.0.0.5",
    "None",
    "x".repeat(300),
  ],
];
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", maxDepth: 6 },
    { weight: 3, arbitrary: fc.constantFrom(...values) },
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), tie("tree"), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.array(tie("tree"), { maxLength: 3 }) },
  ),
}));

const fieldsV1 = fc.dictionary(
  fc.constantFrom(
    "f:metadata",
    "f:spec",
    "f:data",
    "f:a",
    ".",
    'k:{"name":"c"}',
    "v:1",
    "i:0",
    "k:{",
    "x",
    "f:containers",
  ),
  fc.oneof(fc.constant({}), tree),
  { maxKeys: 3 },
);
/** Entries of managedFields, mostly wrong somewhere. */
const entry = fc.record(
  {
    manager: fc.constantFrom("", "one", "x".repeat(200), "\u0001"),
    operation: fc.constantFrom("Apply", "Update", "Steal", ""),
    apiVersion: fc.constantFrom("v1", "apps/v1", "v9", "a/b/c", ""),
    time: fc.constantFrom("2026-01-01T00:00:00Z", "yesterday", null),
    fieldsType: fc.constantFrom("FieldsV1", "FieldsV2", ""),
    fieldsV1: fc.oneof(fieldsV1, tree),
    subresource: fc.constantFrom("", "status", "scale", "nothing"),
  },
  { requiredKeys: [] },
);

const pointer = fc
  .oneof(
    fc.array(fc.constantFrom(...names), { maxLength: 6 }).map((path) => path.map((name) => `/${name}`).join("")),
    fc.constantFrom(
      "/metadata/labels",
      "/spec/template/spec/containers/0",
      "/spec/containers/0/image",
      "/spec/ports/-",
    ),
    fc.constantFrom("/metadata/managedFields/0", "/data/a", "/spec/selector/app", "/spec/template/metadata/labels/app"),
  )
  .filter((path) => path.length < 200);
const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "explode"),
    path: pointer,
    from: pointer,
    value: tree,
  },
  { requiredKeys: ["op", "path"] },
);

/** A tree laid over an object, deep. */
function over(base: unknown, more: unknown): unknown {
  if (!isPlain(base) || !isPlain(more)) return more;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(more)])].filter((key) => key !== "__proto__");
  return Object.fromEntries(
    keys.map((key) => [
      key,
      Object.hasOwn(more, key) ? over(Reflect.get(base, key), Reflect.get(more, key)) : Reflect.get(base, key),
    ]),
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a client sends: mostly something that begins as a right body. */
const bodyFor = (type: Type, { object }: Living, name: string): fc.Arbitrary<unknown> => {
  if (type === "json") return fc.oneof({ weight: 9, arbitrary: fc.array(operation, { maxLength: 5 }) }, tree);
  const below = (...path: readonly string[]) =>
    tree.map((inner) => path.reduceRight<unknown>((at, key) => ({ [key]: at }), inner));
  const change = fc.oneof(
    tree,
    below("spec"),
    below("spec", "template", "spec"),
    below("metadata"),
    below("data"),
    fc.array(entry, { maxLength: 3 }).map((managedFields) => ({ metadata: { managedFields } })),
  );
  if (type === "merge" || type === "strategic") return change;
  return change.map((more) => over({ ...object, metadata: { name } }, more));
};

interface Sent {
  readonly type: Type;
  readonly body: string | Buffer;
  readonly part?: string;
}

function send(at: Living, name: string, { type, body, part = "" }: Sent): Promise<Answer> {
  const fieldManager = type === "apply" || type === "cbor" ? { fieldManager: "fuzzer", force: true } : {};
  const headers = { "content-type": mediaTypes[type] };
  return http.call({ method: "PATCH", path: `${pathOf(at, name)}${part}`, query: fieldManager, headers, body });
}

/** Nothing that a client says is the server's fault. */
function assertAnswered(answer: Answer, { type, body }: Sent): void {
  const what = `${type} ${body.toString().slice(0, 2000)}: ${answer.status} ${answer.text.slice(0, 1000)}`;
  assert.ok(answer.status < 500, what);
}

/** It is read, somebody else can still apply to it and patch it, and its owners can be told. */
async function assertWhole(at: Living, name: string, last: string): Promise<void> {
  const path = pathOf(at, name);
  const read = await http.get(path);
  if (read.status === 404) return;
  assert.equal(read.status, 200, `${last}: ${read.text}`);
  const { metadata } = read.object();
  const entries = metadata["managedFields"] ?? [];
  assert.ok(Array.isArray(entries), read.text);
  for (const one of entries) assert.ok(isPlain(one) && isPlain(Reflect.get(one, "fieldsV1")), `${last}: ${read.text}`);
  const { apiVersion, kind } = at.object;
  const body = { apiVersion, kind, metadata: { name, annotations: { "example.com/checked": last.slice(0, 20) } } };
  const applied = await http.patch(path, "apply", body, { fieldManager: "checker", force: true });
  assert.ok(applied.status < 300, `after ${last}: ${applied.text}`);
  const patched = await http.patch(path, "merge", {
    metadata: { annotations: { "example.com/n": String(last.length) } },
  });
  assert.ok(patched.status < 300, `after ${last}: ${patched.text}`);
}

async function ensure(at: Living, name: string): Promise<void> {
  const made = await http.post(pathOf(at, name).replace(/\/[^/]*$/, ""), { ...at.object, metadata: { name } });
  assert.ok(made.status === 201 || made.status === 409, made.text);
}

const runs = 40;

describe("random writes", { concurrency: 4 }, () => {
  for (const at of living) {
    test(`patches of ${at.resource} are answered, and leave whole objects`, async (t) => {
      const seed = randomInt(2 ** 31);
      t.diagnostic(`seed ${seed}`);
      for (const type of types) {
        const name = `fuzz-${type}`;
        const part = fc.constantFrom("", "", "", "/status", ...(at.resource === "deployments" ? ["/scale"] : []));
        const property = fc.asyncProperty(bodyFor(type, at, name), part, async (body, subresource) => {
          await ensure(at, name);
          const text = jsonText(body);
          const sent = { type, body: type === "cbor" ? printCbor(body) : text, part: subresource };
          assertAnswered(await send(at, name, sent), sent);
          await assertWhole(at, name, `${type}${subresource} ${text}`);
        });
        await fc.assert(property, { seed, numRuns: runs });
      }
      assert.doesNotMatch(target.log(), /"level":"(error|fatal)"/);
    });
  }

  test("bodies with random managedFields are taken or refused, never half read", async (t) => {
    const seed = randomInt(2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const [at] = living;
    assert.ok(at !== undefined);
    const path = pathOf(at, "managed");
    const property = fc.asyncProperty(fc.array(entry, { maxLength: 3 }), async (managedFields) => {
      await ensure(at, "managed");
      const object = {
        ...at.object,
        metadata: { name: "managed", managedFields },
        data: { a: String(managedFields.length) },
      };
      const put = await http.put(path, object);
      assert.ok(put.status < 500, put.text);
      const made = await http.post(path.replace(/\/managed$/, ""), {
        ...object,
        metadata: { managedFields, generateName: "m-" },
      });
      assert.ok(made.status < 500, made.text);
      await assertWhole(at, "managed", JSON.stringify(managedFields));
    });
    await fc.assert(property, { seed, numRuns: 60 });
  });

  test("garbage is no patch", async (t) => {
    const seed = randomInt(2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const [at] = living;
    assert.ok(at !== undefined);
    await ensure(at, "garbage");
    const before = await http.get(pathOf(at, "garbage"));
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: "binary", maxLength: 64 }).map((text) => Buffer.from(text)),
      fc
        .constantFrom("{", "[[", '{"a":', "&a [*a]", "!!js/function x", "%TAG", "---\n---", "\ufeff{}")
        .map((s) => Buffer.from(s)),
    );
    const property = fc.asyncProperty(garbage, fc.constantFrom(...types), async (body, type) => {
      const sent = { type, body };
      const answer = await send(at, "garbage", sent);
      assertAnswered(answer, sent);
      assert.ok(
        [200, 400, 422].includes(answer.status),
        `${type} ${JSON.stringify(body.toString("latin1"))}: ${answer.text}`,
      );
    });
    await fc.assert(property, { seed, numRuns: 150 });
    assert.deepEqual((await http.get(pathOf(at, "garbage"))).json(), before.json());
  });
});

describe("bodies that are too much", () => {
  const header = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\n";
  const bombs: readonly (readonly [string, string])[] = [
    ["aliases of aliases", `${header}a: &a [x,x,x,x,x,x,x,x,x]\n${aliases(12)}`],
    ["aliases as data", `${header}data: &d\n  k: v\nbinaryData: *d\nx: [*d, *d]\n`],
    ["a merge key", `${header}data:\n  <<: {k: v}\n  l: w\n`],
    ["deep flow", `${header}data: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`],
    ["deep maps", `${header}data: ${"{a: ".repeat(5000)}1${"}".repeat(5000)}\n`],
    ["deep blocks", header + Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
    ["an anchor of itself", `${header}data: &a\n  k: *a\n`],
  ];

  function aliases(levels: number): string {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    return Array.from({ length: levels }, (_, i) => {
      const [before, now] = [letters[i], letters[i + 1]];
      return `${now}: &${now} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]\n`;
    }).join("");
  }

  for (const [title, body] of bombs) {
    test(`${title} under apply-patch+yaml`, async () => {
      const [at] = living;
      assert.ok(at !== undefined);
      const sent = { type: "apply", body } as const;
      const answer = await send(at, "large", sent);
      assertAnswered(answer, sent);
      assert.ok(answer.text.length < 100_000, `${answer.text.length} bytes`);
      await assertWhole(at, "large", title);
    });
  }

  test("managedFields of a mebibyte are kept or refused, and the object can be written on", async () => {
    const [at] = living;
    assert.ok(at !== undefined);
    const fields = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`f:key-${i}`.padEnd(20, "x"), {}]));
    const owned = { "f:data": fields };
    const entries = [
      { manager: "large", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: owned },
    ];
    assert.ok(JSON.stringify(entries).length > 2 ** 20 - 2 ** 16);
    const path = pathOf(at, "giant");
    const object = { ...at.object, metadata: { name: "giant", managedFields: entries }, data: { a: "1" } };
    const made = await http.post(path.replace(/\/giant$/, ""), object);
    assert.equal(made.status, 201, made.text.slice(0, 500));
    await assertWhole(at, "giant", "giant");
    const cleared = await http.patch(path, "merge", { metadata: { managedFields: [{}] } });
    assert.equal(cleared.status, 200, cleared.text.slice(0, 500));
    assert.equal(cleared.at("metadata.managedFields"), undefined);
  });

  test("a field that a thousand managers apply is owned by a thousand", async () => {
    const [at] = living;
    assert.ok(at !== undefined);
    const managers = Array.from({ length: 1000 }, (_, i) => ({
      ...{ manager: `m${i}`, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" },
      fieldsV1: { "f:data": { "f:a": {} } },
    }));
    await ensure(at, "crowd");
    // Whoever creates an object owns all of it: the crowd comes by an update.
    const object = { ...at.object, metadata: { name: "crowd", managedFields: managers } };
    const made = await http.put(pathOf(at, "crowd"), object);
    assert.equal(made.status, 200, made.text.slice(0, 500));
    const taken = await http.patch(
      pathOf(at, "crowd"),
      "apply",
      { ...at.object, metadata: { name: "crowd" }, data: { a: "2" } },
      { fieldManager: "other" },
    );
    assert.equal(taken.status, 409, taken.text.slice(0, 500));
    assert.match(String(taken.at("message")), /^Apply failed with 1000 conflicts: /);
    await assertWhole(at, "crowd", "crowd");
  });
});
