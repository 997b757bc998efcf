import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { printCbor } from "@orch/codec/cbor/print.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { wrapObject } from "@orch/codec/protobuf/envelope.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { type Answer, connect, type Http, type Query } from "./harness/http.js";
import { freshNamespace } from "./harness/manifests.js";
import { catalog, naming } from "./harness/served-kinds.js";
import { assertFailure } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { mediaTypesOf } from "./harness/wire.js";

/** Field validation of bodies in CBOR and Protobuf; in JSON and YAML: suite/field-validation.ts. */
const mediaTypes = mediaTypesOf(naming);
let target: StandaloneTarget;
let http: Http;
let path: string;

const labels = { app: "web" };
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.com/c:1" }] } },
  },
});

before(async () => {
  const args = ["--secure-port=0", "--feature-gates=CBORServingAndStorage=true"];
  target = await startStandalone({ dialect: "kubernetes", args });
  http = connect(target);
  path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
  const made = await http.post(path, deployment("d"));
  assert.equal(made.status, 201, made.text);
});
after(async () => {
  http.close();
  await target.stop();
});

/** A key that ends in `~` stands for the one that ends in `e`: so a map has it twice. */
function repeating(object: JsonObject): Buffer {
  const bytes = printCbor(object);
  for (let at = bytes.indexOf("~"); at !== -1; at = bytes.indexOf("~", at)) bytes[at] = "e".charCodeAt(0);
  return bytes;
}

/** Wrong in a map, in a list and twice. */
const wrong = (name: string) => ({
  ...deployment(name),
  spec: {
    ...deployment(name).spec,
    bar: { a: 1 },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "c", image: "example.com/c:1", "imag~": "example.com/c:1", foo: 1 }] },
    },
  },
});
const problems = [
  'duplicate field "spec.template.spec.containers[0].image"',
  'unknown field "spec.bar"',
  'unknown field "spec.template.spec.containers[0].foo"',
];

interface Sent {
  readonly method: string;
  readonly at: string;
  readonly body: Buffer;
  readonly type: string;
}

const send = ({ method, at, body, type }: Sent, query: Query): Promise<Answer> =>
  http.call({ method, path: at, query: { dryRun: "All", ...query }, headers: { "content-type": type }, body });

/** The texts of an answer's warnings, in any order. */
const warningsOf = (answer: Answer): readonly string[] =>
  [...String(answer.headers["warning"] ?? "").matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)]
    .map(([, quoted = ""]): string => JSON.parse(quoted))
    .toSorted();

test("unknown and repeated fields of a body in CBOR are told as in JSON", async () => {
  const type = mediaTypes.cbor;
  const scale = { metadata: { name: "d", x: 1 }, spec: { replicas: 1, y: 1 } };
  const rows: readonly (readonly [Sent, readonly string[]])[] = [
    [{ method: "POST", at: path, body: repeating(wrong("e")), type }, problems],
    [{ method: "PUT", at: `${path}/d`, body: repeating(wrong("d")), type }, problems],
    [{ method: "PUT", at: `${path}/d/status`, body: repeating(wrong("d")), type }, problems],
    [
      { method: "PUT", at: `${path}/d/scale`, body: printCbor(scale), type },
      ['unknown field "metadata.x"', 'unknown field "spec.y"'],
    ],
  ];
  for (const [sent, expected] of rows) {
    const strict = await send(sent, { fieldValidation: "Strict" });
    assertFailure(strict, { code: 400, reason: "BadRequest", message: /strict decoding error: / });
    for (const problem of expected) assert.ok(String(strict.at("message")).includes(problem), strict.text);
    const warned = await send(sent, { fieldValidation: "Warn" });
    assert.ok(warned.status < 300, warned.text);
    assert.deepEqual(warningsOf(warned), expected.toSorted());
    const ignored = await send(sent, { fieldValidation: "Ignore" });
    assert.ok(ignored.status < 300, ignored.text);
    assert.deepEqual(warningsOf(ignored), []);
  }
});

test("a value of the wrong type in CBOR is told first", async () => {
  const body = printCbor({ ...wrong("e"), spec: { ...wrong("e").spec, replicas: "many" } });
  for (const fieldValidation of ["Strict", "Warn", "Ignore"]) {
    const answer = await send({ method: "POST", at: path, body, type: mediaTypes.cbor }, { fieldValidation });
    assertFailure(answer, { code: 400, reason: "BadRequest", message: /spec\.replicas/ });
    assert.doesNotMatch(String(answer.at("message")), /strict|unknown/);
  }
});

test("an apply in CBOR is held to the levels as one in YAML", async () => {
  const type = "application/apply-patch+cbor";
  const apply = (body: Buffer, query: Query) =>
    send({ method: "PATCH", at: `${path}/e`, body, type }, { fieldManager: "one", ...query });
  const { spec, ...rest } = deployment("e");
  const twice = repeating({ ...rest, spec: { ...spec, "templat~": spec.template } });
  const problem = 'duplicate field "spec.template"';
  for (const fieldValidation of ["Strict", "Warn", "Ignore"]) {
    const unknown = await apply(printCbor({ ...rest, spec: { ...spec, bar: 1 } }), { fieldValidation });
    assertFailure(unknown, { code: 400, reason: "BadRequest", message: /\.spec\.bar: field not declared in schema$/ });
    const repeated = await apply(twice, { fieldValidation });
    if (fieldValidation === "Strict") {
      assertFailure(repeated, { code: 400, reason: "BadRequest", message: new RegExp(`${problem}$`) });
      continue;
    }
    assert.equal(repeated.status, 201, repeated.text);
    assert.deepEqual(warningsOf(repeated), fieldValidation === "Warn" ? [problem] : []);
  }
});

test("fields of numbers that nobody knows are none of a Protobuf body's problems", async () => {
  const type = catalog.type("apps/v1.Deployment");
  assert.ok(type !== undefined);
  // Field 1000, a varint of 1.
  const unknown = Buffer.from([0xc0, 0x3e, 0x01]);
  const message = Buffer.concat([encodeMessage(type, deployment("e")), unknown]);
  const body = wrapObject({ apiVersion: "apps/v1", kind: "Deployment" }, message);
  for (const fieldValidation of ["Strict", "Warn", "Ignore"]) {
    const sent = { method: "POST", at: path, body, type: mediaTypes.protobuf };
    const answer = await send(sent, { fieldValidation });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(warningsOf(answer), []);
  }
});
