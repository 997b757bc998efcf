import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { decodeObject } from "@orch/api/writes.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import { printCbor } from "@orch/codec/cbor/print.js";
import { objectOf, type parseJson } from "@orch/codec/json.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { parseProtobuf, wrapObject } from "@orch/codec/protobuf/envelope.js";
import { parseYaml, printYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming } from "@orch/naming/naming.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import { catalogOf, openBed, type Subject } from "./testing/bed.js";
import { refusal } from "./testing/refusal.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "orch")).start();
const naming = createNaming("orch");
const odd = 2n ** 53n + 1n;
const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

const revisions = { group: "apps", resource: "controllerrevisions" };
const typeMeta = { kind: "ControllerRevision", apiVersion: "apps/v1" };

function kindOf(): Parameters<typeof decodeObject>[0] {
  const kind = catalogOf(naming).kind(typeMeta.apiVersion, typeMeta.kind);
  assert.ok(kind !== undefined);
  return kind;
}

/** A body in an encoding. */
const printers: Readonly<Record<string, (tree: JsonObject) => Buffer>> = {
  "application/json": (tree) => Buffer.from(jsonText(tree)),
  "application/yaml": (tree) => Buffer.from(printYaml(tree)),
  "application/cbor": (tree) => printCbor(tree),
  "application/vnd.orch.protobuf": (tree) => wrapObject(typeMeta, encodeMessage(kindOf().type, tree)),
};

/** A body in the form of an answer. */
const readers: Readonly<Record<string, (body: Buffer) => unknown>> = {
  "": (body) => objectOf(body),
  cbor: (body) => sound(parseCbor(body)),
  protobuf: (body) => sound(parseProtobuf(kindOf().type, body)),
  yaml: (body) => sound(parseYaml(Buffer.from(printYaml(objectOf(body))))),
};

function sound(read: ReturnType<typeof parseJson>): unknown {
  assert.ok(read.ok);
  return read.value;
}

function field(reply: WriteReply, name: string): unknown {
  const tree = objectOf(reply.body);
  assert.ok(isObject(tree));
  return tree[name];
}

const revision = (name: string, value: unknown): JsonObject => ({
  ...typeMeta,
  metadata: { name },
  revision: value,
  data: { kept: value, list: [value] },
});
const body = (tree: unknown): Buffer => Buffer.from(jsonText(tree));

test("integers of 64 bits come in and go out exactly, in every encoding", async (t) => {
  const { write } = await start(t);
  for (const [contentType, print] of Object.entries(printers)) {
    for (const [i, value] of [odd, largest, 2n ** 53n].entries()) {
      const name = `${contentType.replace(/\W/g, "-")}-${i}`;
      const sent = { ...revisions, contentType, body: print(revision(name, value)) };
      for (const [form, read] of Object.entries(readers)) {
        const reply = await write({ ...sent, form: form === "yaml" ? "" : form, options: { dryRun: "All" } });
        const shown = read(reply.body);
        assert.ok(isObject(shown), `${contentType} as ${form}`);
        assert.equal(shown["revision"], value, `${contentType} as ${form}`);
        assert.deepEqual(shown["data"], { kept: value, list: [value] }, `${contentType} as ${form}`);
      }
      await write(sent);
      // What is stored is read again.
      const labels = { metadata: { labels: { a: "b" } } };
      const patch = { verb: "patch", name, contentType: "application/merge-patch+json" } as const;
      assert.equal(field(await write({ ...revisions, ...patch }, labels), "revision"), value);
    }
  }
});

test("a change by one of what a number cannot tell apart is a change, in every way to write it", async (t) => {
  const { write } = await start(t);
  await write({ ...revisions, body: body(revision("a", 2n ** 53n)) });
  const named = { ...revisions, name: "a" };
  const patch = (type: string): Partial<WriteRequest> => ({
    ...named,
    verb: "patch",
    contentType: `application/${type}`,
    options: { fieldManager: "m", force: type.startsWith("apply") ? "true" : "false" },
  });
  const data = (value: bigint): JsonObject => ({ ...revision("a", value), data: undefined });
  const unforced = (type: string): Partial<WriteRequest> => ({ ...patch(type), options: { fieldManager: "m" } });
  const ways: readonly ((value: bigint) => Partial<WriteRequest>)[] = [
    (value) => ({
      ...named,
      verb: "update",
      body: body({ ...revision("a", value), data: { kept: 2n ** 53n, list: [2n ** 53n] } }),
    }),
    (value) => ({ ...unforced("merge-patch+json"), body: body({ revision: value }) }),
    (value) => ({ ...unforced("strategic-merge-patch+json"), body: body({ revision: value }) }),
    (value) => ({ ...unforced("json-patch+json"), body: body([{ op: "replace", path: "/revision", value }]) }),
    (value) => ({ ...patch("apply-patch+yaml"), body: Buffer.from(printYaml(data(value))) }),
    (value) => ({ ...patch("apply-patch+cbor"), body: printCbor(data(value)) }),
  ];
  let value = 2n ** 53n;
  for (const way of ways) {
    value += 1n;
    assert.equal(field(await write(way(value)), "revision"), value, way(value).contentType);
  }
  const test = (wanted: bigint) => [{ op: "test", path: "/revision", value: wanted }];
  assert.match(await refusal(write({ ...unforced("json-patch+json"), body: body(test(value + 1n)) })), /^422 /);
  assert.equal(field(await write({ ...unforced("json-patch+json"), body: body(test(value)) }), "revision"), value);
});

test("what has no 64 bits, or is no integer of 32, is refused with its place", async (t) => {
  const { write } = await start(t);
  const text = (value: string) => Buffer.from(`{"metadata":{"name":"a"},"revision":${value}}`);
  const refused = (value: string) => refusal(write({ ...revisions, body: text(value) }));
  assert.match(await refused("9223372036854775808"), /^400 .*9223372036854775808 is outside ±2\^63.*\(revision\)/);
  assert.match(await refused("-9223372036854775809"), /^400 .*could not be kept exactly/);
  assert.match(await refused("1e30"), /^400 .*revision: expected int64, got number 1e30/);
  assert.match(
    await refused(String(smallest)),
    /^422 .*Invalid value: -9223372036854775808: must be greater than or equal/,
  );
  const replicas = Buffer.from(`{"metadata":{"name":"a"},"spec":{"replicas":${odd}}}`);
  const deployment = write({ group: "apps", resource: "deployments", body: replicas });
  assert.match(
    await refusal(deployment),
    /^400 .*spec.replicas: expected int32, got number 9007199254740993: out of range/,
  );
});

const floats = ["1.0", "1e2", "-0.0", "10E-1"];

test("a float in an integer field is refused in JSON, CBOR and their patches, as in the reference", async (t) => {
  const { write } = await start(t);
  await write({ ...revisions, body: body({ metadata: { name: "a" }, revision: 7, data: {} }) });
  const patch = (type: string, text: string): Partial<WriteRequest> => ({
    ...revisions,
    ...{ verb: "patch", name: "a", contentType: `application/${type}`, body: Buffer.from(text) },
  });
  for (const text of floats) {
    const whole = `{"metadata":{"name":"b"},"revision":${text}}`;
    const why = `revision: expected int64, got number ${text}`;
    const rows: readonly (readonly [Partial<WriteRequest>, string])[] = [
      [{ ...revisions, body: Buffer.from(whole) }, "400"],
      [{ ...revisions, verb: "update", name: "a", body: Buffer.from(whole.replace('"b"', '"a"')) }, "400"],
      [patch("merge-patch+json", `{"revision":${text}}`), "422"],
      [patch("json-patch+json", `[{"op":"replace","path":"/revision","value":${text}}]`), "422"],
      [patch("json-patch+json", `[{"op":"add","path":"","value":{"revision":${text}}}]`), "422"],
    ];
    for (const [request, code] of rows) {
      const told = await refusal(write(request));
      assert.ok(told.startsWith(code) && (told.includes(why) || request.verb === "patch"), told);
    }
  }
  // {"metadata": {"name": "b"}, "revision": 1.0}
  const cbor = Buffer.from("a2686d65746164617461a1646e616d656162687265766973696f6ef93c00", "hex");
  const told = await refusal(write({ ...revisions, contentType: "application/cbor", body: cbor }));
  assert.match(told, /^400 .*revision: expected int64, got number 1\.0/);
  const probe =
    '{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80.0}]}]}}';
  const pod = await refusal(write({ resource: "pods", body: Buffer.from(probe) }));
  assert.match(pod, /^400 .*spec\.containers\[0\]\.ports\[0\]\.containerPort: expected int32, got number 80\.0/);
});

test("a whole float in an integer field is taken from YAML, a strategic merge patch and an apply", async (t) => {
  const { write } = await start(t);
  const yaml = "metadata: {name: a}\nrevision: 2.0\ndata: {}\n";
  const made = await write({ ...revisions, contentType: "application/yaml", body: Buffer.from(yaml) });
  assert.equal(field(made, "revision"), 2);
  const patch = { ...revisions, verb: "patch", name: "a", options: { fieldManager: "m" } } as const;
  const strategic = { contentType: "application/strategic-merge-patch+json", body: Buffer.from('{"revision":3.0}') };
  assert.equal(field(await write({ ...patch, ...strategic }), "revision"), 3);
  const configuration = Buffer.from(
    jsonText({ ...typeMeta, metadata: { name: "x" }, data: {} }).replace(/}$/, ',"revision":1e2}'),
  );
  const apply = { name: "x", contentType: "application/apply-patch+yaml", body: configuration };
  assert.equal(field(await write({ ...patch, ...apply }), "revision"), 100);
});

test("fractions and exponents stay what they are where a type takes any number", async (t) => {
  const { write } = await start(t);
  const quantities = '{"metadata":{"name":"a"},"spec":{"hard":{"cpu":1.5,"pods":1e1,"memory":9007199254740993}}}';
  const { spec } = objectOf((await write({ resource: "resourcequotas", body: Buffer.from(quantities) })).body);
  assert.deepEqual(spec, { hard: { cpu: "1500m", pods: "10", memory: "9007199254740993" } });
  const data = Buffer.from('{"metadata":{"name":"a"},"revision":1,"data":{"whole":1.0,"part":0.5}}');
  assert.deepEqual(field(await write({ ...revisions, body: data }), "data"), { whole: 1, part: 0.5 });
});

test("the grace of a deletion is kept exactly, its end is a time that can be told", async (t) => {
  const { write } = await start(t);
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: odd };
  const pods = { resource: "pods" };
  const made = objectOf((await write({ ...pods, body: body({ metadata: { name: "a" }, spec }) })).body);
  assert.ok(isObject(made["spec"]));
  assert.equal(made["spec"]["terminationGracePeriodSeconds"], odd);
  const metadataOf = (reply: WriteReply): JsonObject => {
    const { metadata } = objectOf(reply.body);
    assert.ok(isObject(metadata));
    return metadata;
  };
  const options = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: largest };
  const remove = { ...pods, verb: "delete", name: "a" } as const;
  const asked = metadataOf(
    await write({ ...remove, options: { gracePeriodSeconds: String(2n ** 60n), dryRun: "All" } }),
  );
  assert.equal(asked["deletionGracePeriodSeconds"], 2n ** 60n);
  const told = metadataOf(await write({ ...remove, body: body(options) }));
  assert.equal(told["deletionGracePeriodSeconds"], largest);
  assert.equal(told["deletionTimestamp"], "9999-12-31T23:59:59Z");
  const sooner = metadataOf(await write(remove));
  assert.equal(sooner["deletionGracePeriodSeconds"], odd);
});

test("a decoded tree has one form of each integer", () => {
  const { object } = decodeObject(kindOf(), { metadata: {}, revision: 5, data: { a: largest } });
  assert.deepEqual([object["revision"], object["data"]], [5, { a: largest }]);
});
