import assert from "node:assert/strict";
import { test } from "node:test";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Answer, Http, PatchType, Query } from "../harness/http.js";
import { freshMaps, freshNamespace } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import type { On } from "./scene.js";

/** Spec 1: Field validation, for every kind of write. Bodies in CBOR and Protobuf: encodings.test.ts. */
export function fieldValidationSuite(on: On): void {
  objects(on);
  patches(on);
  applies(on);
  typeErrors(on);
  amounts(on);
  refusedWrites(on);
}

const levels = ["Strict", "Warn", "", "Ignore"] as const;

/** A write that goes wrong in the ways of a body that is wrong in these. */
interface Sent {
  readonly title: string;
  readonly send: (query: Query) => Promise<Answer>;
  readonly problems: readonly string[];
  /** What is told of keys that YAML repeats, before the problems. */
  readonly repeatedLines?: readonly string[];
  readonly refused: { readonly code: number; readonly reason: string; readonly message: RegExp };
}

/** Refused with all of it in one message, warned of one by one (as when nothing is asked for), or silent. */
async function heldToLevels({ title, send, problems, repeatedLines: lines = [], refused }: Sent): Promise<void> {
  const inYaml = lines.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`];
  for (const fieldValidation of levels) {
    const answer = await send(fieldValidation === "" ? {} : { fieldValidation });
    const where = `${title} ${fieldValidation}: ${answer.text}`;
    if (fieldValidation === "Strict") {
      assertFailure(answer, refused);
      assert.ok(
        String(answer.at("message")).endsWith(`strict decoding error: ${[...inYaml, ...problems].join(", ")}`),
        where,
      );
      assert.equal(answer.headers["warning"], undefined, where);
      continue;
    }
    assert.ok(answer.status < 300, where);
    const quoted = [...lines, ...problems].map((problem) => `299 - ${JSON.stringify(problem)}`).join(", ");
    assert.equal(answer.headers["warning"], fieldValidation === "Ignore" ? undefined : quoted, where);
  }
}

const unknown = (path: string): string => `unknown field "${path}"`;
const inLine = (line: number, key: string): string => `line ${line}: key "${key}" already set in map`;
const repeated = (path: string): string => `duplicate field "${path}"`;

/** Text of an object with a member more behind the first of this name. */
function withMember(text: string, name: string, member: string): string {
  assert.ok(text.includes(`"${name}":`), text);
  return text.replace(new RegExp(`("${name}":("[^"]*"|\\d+))`), `$1,${member}`);
}

const labels = { app: "web" };
const container = { name: "c", image: "example.com/c:1", env: [{ name: "A", value: "1" }] };
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  },
});

/** A deployment that is wrong in lists, maps and what is repeated inside of both. */
function wrongDeployment(name: string): { readonly text: string; readonly problems: readonly string[] } {
  const members: readonly (readonly [string, string])[] = [
    ["app", '"app":"web"'],
    ["replicas", '"replicas":2,"bar":{"a":1,"a":2}'],
    ["image", '"foo":1,"image":"example.com/c:2"'],
    ["value", '"value":"2","baz":[1]'],
  ];
  const text = members.reduce(
    (object, [at, member]) => withMember(object, at, member),
    JSON.stringify(deployment(name)),
  );
  const problems = [
    repeated("metadata.labels.app"),
    repeated("spec.replicas"),
    unknown("spec.bar"),
    repeated("spec.template.spec.containers[0].image"),
    unknown("spec.template.spec.containers[0].foo"),
    repeated("spec.template.spec.containers[0].env[0].value"),
    unknown("spec.template.spec.containers[0].env[0].baz"),
    unknown("status.qux"),
  ];
  return { text: text.replace(/}$/, ',"status":{"qux":1}}'), problems };
}

function objects(on: On): void {
  test("unknown and repeated fields of a body are told with their paths, in JSON and YAML", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    await done(http.post(path, deployment("d")));
    const refused = {
      code: 400,
      reason: "BadRequest",
      message: /^Deployment in version "v1" cannot be handled as a D/,
    };
    const { text, problems } = wrongDeployment("d");
    const fresh = wrongDeployment("e").text;
    const scale = '{"metadata":{"name":"d","x":1},"spec":{"replicas":1,"replicas":2,"y":1},"status":{"z":2}}';
    const scaleProblems = [unknown("metadata.x"), unknown("spec.y"), unknown("status.z")];
    // JSON is YAML, too.
    const rows = [
      {
        type: "application/json",
        inObject: { problems },
        inScale: { problems: scaleProblems.toSpliced(1, 0, repeated("spec.replicas")) },
      },
      {
        type: "application/yaml",
        inObject: {
          problems: problems.filter((problem) => problem.startsWith("unknown")).sort(),
          repeatedLines: ["app", "replicas", "a", "image", "value"].map((key) => inLine(1, key)),
        },
        inScale: { problems: scaleProblems, repeatedLines: [inLine(1, "replicas")] },
      },
    ];
    for (const { type, inObject, inScale } of rows) {
      const send = (method: string, at: string, body: string) => (query: Query) =>
        http.call({ method, path: at, query: { ...query, dryRun: "All" }, headers: { "content-type": type }, body });
      await heldToLevels({ title: `create ${type}`, send: send("POST", path, fresh), ...inObject, refused });
      await heldToLevels({ title: `update ${type}`, send: send("PUT", `${path}/d`, text), ...inObject, refused });
      const status = send("PUT", `${path}/d/status`, text);
      await heldToLevels({ title: `update of the status ${type}`, send: status, ...inObject, refused });
      await heldToLevels({
        ...{ title: `update of the scale ${type}`, send: send("PUT", `${path}/d/scale`, scale), ...inScale },
        refused: { ...refused, message: /^Scale in version "v1" cannot be handled as a Scale: / },
      });
    }
    const yaml = `${printYaml(deployment("e"))}surplus: {a: 1}\n`.replace("replicas: 1", "replicas: 1\n  replicas: 2");
    const send = (query: Query) =>
      http.call({
        method: "POST",
        path,
        query: { ...query, dryRun: "All" },
        headers: { "content-type": "application/yaml" },
        body: yaml,
      });
    const repeatedLines = [inLine(yaml.split("\n").indexOf("  replicas: 2") + 1, "replicas")];
    await heldToLevels({ title: "YAML", send, problems: [unknown("surplus")], repeatedLines, refused });
  });

  test("what a question's body says wrong is told as an object's is", async () => {
    const { http } = on();
    const pods = `/api/v1/namespaces/${await freshNamespace(http)}/pods`;
    const make = () => done(http.post(pods, { metadata: { name: "p" }, spec: { containers: [container] } }));
    await make();
    const rows: readonly (readonly [string, string, string])[] = [
      ["binding", "Binding", '{"metadata":{"name":"p"},"target":{"kind":"Node","name":"n","foo":1}}'],
      ["eviction", "Eviction", '{"metadata":{"name":"p"},"target":{"foo":1}}'],
    ];
    for (const [part, kind, body] of rows) {
      const headers = { "content-type": "application/json" };
      const send = (query: Query) =>
        http.call({ method: "POST", path: `${pods}/p/${part}`, query: { ...query, dryRun: "All" }, headers, body });
      const message = new RegExp(`^${kind} in version "v1" cannot be handled as an? ${kind}: `);
      const problem = part === "binding" ? "target.foo" : "target";
      const refused = { code: 400, reason: "BadRequest", message };
      await heldToLevels({ title: part, send, problems: [unknown(problem)], refused });
    }
  });

  test("a level that there is not is refused by every verb", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m");
    const query = { fieldValidation: "Foo" };
    const message = (kind: string) =>
      new RegExp(
        `^${kind}\\..* fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"$`,
      );
    const refused = (kind: string) => ({ code: 422, reason: "Invalid", message: message(kind) });
    assertFailure(await http.post(maps.path(), { metadata: { name: "n" } }, query), refused("CreateOptions"));
    assertFailure(await http.put(maps.path("m"), { metadata: { name: "m" } }, query), refused("UpdateOptions"));
    assertFailure(await http.patch(maps.path("m"), "merge", {}, query), refused("PatchOptions"));
  });
}

function patches(on: On): void {
  test("what a patch says twice, and what it leaves that nobody knows, is told of every patch type and subresource", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    await done(http.post(path, deployment("d")));
    const merge =
      '{"spec":{"minReadySeconds":1,"minReadySeconds":2,"template":{"spec":{"containers":[{"name":"c","image":"i","foo":1,"env":[]}]}}},"zzz":{"a":1,"a":2}}';
    const merged = [
      repeated("spec.minReadySeconds"),
      repeated("zzz.a"),
      unknown("spec.template.spec.containers[0].foo"),
      unknown("zzz"),
    ];
    const json =
      '[{"op":"add","path":"/spec/template/spec/containers/0/q","value":{"a":1},"bar":1},{"op":"add","op":"add","path":"/zzz","value":1}]';
    const added = [
      'json patch unknown field "[0].bar"',
      'json patch duplicate field "[1].op"',
      unknown("spec.template.spec.containers[0].q"),
      unknown("zzz"),
    ];
    const rows: readonly (readonly [PatchType, string, readonly string[]])[] = [
      ["merge", merge, merged],
      ["strategic-merge", merge, merged],
      ["json", json, added],
    ];
    const refused = { code: 400, reason: "BadRequest", message: /strict decoding error: / };
    for (const part of ["", "/status"]) {
      for (const [type, body, problems] of rows) {
        const send = (query: Query) => http.patch(`${path}/d${part}`, type, body, { ...query, dryRun: "All" });
        await heldToLevels({ title: `${type}${part}`, send, problems, refused });
      }
    }
    const scales: readonly (readonly [PatchType, string, readonly string[]])[] = [
      ["merge", '{"spec":{"replicas":1,"replicas":2,"y":1}}', [repeated("spec.replicas"), unknown("spec.y")]],
      ["strategic-merge", '{"spec":{"replicas":1,"replicas":2,"y":1}}', [repeated("spec.replicas"), unknown("spec.y")]],
      ["json", '[{"op":"add","path":"/spec/y","value":1}]', [unknown("spec.y")]],
    ];
    for (const [type, body, problems] of scales) {
      const send = (query: Query) => http.patch(`${path}/d/scale`, type, body, { ...query, dryRun: "All" });
      await heldToLevels({ title: `${type} of a scale`, send, problems, refused });
    }
    const whole = (await http.get(`${path}/d`)).object();
    assert.equal(Object.hasOwn(whole, "zzz"), false);
  });
}

function applies(on: On): void {
  test("an apply of an unknown field fails at every level, one that says a field twice at Strict", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments/d`;
    const text = JSON.stringify(deployment("d"));
    const send = (at: string, body: string) => (query: Query) =>
      http.patch(at, "apply", body, { fieldManager: "one", dryRun: "All", ...query });
    const refused = { code: 400, reason: "BadRequest", message: /^error strict decoding YAML: / };
    const twice = withMember(text, "image", '"image":"example.com/c:2"');
    for (const fieldValidation of levels) {
      const answer = await send(path, withMember(text, "replicas", '"bar":1'))({ fieldValidation });
      assertFailure(answer, { code: 400, reason: "BadRequest", message: /\.spec\.bar: field not declared in schema$/ });
      const again = await send(path, twice)({ fieldValidation });
      const said = JSON.stringify(inLine(1, "image"));
      if (fieldValidation === "Strict") assertFailure(again, refused);
      else assert.equal(again.status, 201, again.text);
      const told = fieldValidation === "Strict" || fieldValidation === "Ignore" ? undefined : `299 - ${said}`;
      assert.equal(again.headers["warning"], told);
    }
  });
}

function typeErrors(on: On): void {
  test("a value of the wrong type is told first, whatever the level and whatever else is wrong", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    await done(http.post(path, deployment("d")));
    const wrong = { foo: 1, spec: { replicas: "many", bar: 2 } };
    const object = { ...deployment("d"), ...wrong, spec: { ...deployment("d").spec, ...wrong.spec } };
    for (const fieldValidation of levels) {
      const query = fieldValidation === "" ? {} : { fieldValidation };
      const created = await http.post(path, { ...object, metadata: { name: "e" } }, query);
      for (const answer of [created, await http.put(`${path}/d`, object, query)]) {
        assertFailure(answer, { code: 400, reason: "BadRequest", message: /spec\.replicas/ });
        assert.doesNotMatch(String(answer.at("message")), /strict|unknown/);
        assert.equal(answer.headers["warning"], undefined);
      }
      for (const type of ["merge", "strategic-merge"] as const) {
        const answer = await http.patch(`${path}/d`, type, wrong, query);
        assertFailure(answer, { code: 422, reason: "Invalid", message: /: spec\.replicas[^"]*$/ });
        assert.equal(answer.headers["warning"], undefined);
      }
      const applied = await http.patch(`${path}/d`, "apply", object, { ...query, fieldManager: "one" });
      assertFailure(applied, { code: 400, reason: "BadRequest", message: /\.spec\.replicas: expected numeric/ });
    }
  });
}

const textsOf = (answer: Answer): readonly string[] =>
  [...String(answer.headers["warning"]).matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = ""]) =>
    JSON.parse(quoted),
  );

function amounts(on: On): void {
  const fields = (count: number, name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 1]));
  const create = (http: Http, path: string, more: object, query: Query = {}) =>
    http.post(path, { metadata: { name: "m" }, ...more }, { dryRun: "All", ...query });

  test("of more than a hundred problems the first hundred are told", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const many = fields(150, (i) => `u${i}`);
    const first = Array.from({ length: 100 }, (_, i) => unknown(`u${i}`));
    // A header for each of fifty, and one for those that are left.
    const shown = [...first.slice(0, 50), "and 50 more warnings"];
    assert.deepEqual(textsOf(await done(create(http, maps.path(), many))), shown);
    const strict = await create(http, maps.path(), many, { fieldValidation: "Strict" });
    assertFailure(strict, { code: 400, reason: "BadRequest" });
    assert.ok(String(strict.at("message")).endsWith(`strict decoding error: ${first.join(", ")}`), strict.text);
  });

  test("long warnings are cut to 256 characters each, of 4096 in all", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const long = await done(
      create(
        http,
        maps.path(),
        fields(30, (i) => `u${i}${"x".repeat(400)}`),
      ),
    );
    const texts = textsOf(long);
    assert.deepEqual(new Set(texts.map((text) => text.length)), new Set([256]));
    assert.equal(texts.length, 16);
    const few = await done(
      create(
        http,
        maps.path(),
        fields(9, (i) => `u${i}${"x".repeat(400)}`),
      ),
    );
    assert.ok(
      textsOf(few).every((text) => text.length > 400),
      "nothing is cut before it is too much",
    );
  });

  test("what is said of two places in the same words is said once", async () => {
    const { http } = on();
    const path = `/apis/apps/v1/namespaces/${await freshNamespace(http)}/deployments`;
    await done(http.post(path, deployment("d")));
    const twice = await done(http.patch(`${path}/d`, "merge", '{"spec":{"paused":true,"paused":false,"paused":true}}'));
    assert.deepEqual(textsOf(twice), [repeated("spec.paused")]);
  });
}

function refusedWrites(on: On): void {
  test("warnings of a body that was read go along with the refusal of its write", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m", { data: { k: "v" } });
    const surplus = { surplus: 1 };
    const rows: readonly (readonly [string, Promise<Answer>, number])[] = [
      ["taken", http.post(maps.path(), { metadata: { name: "m" }, ...surplus }), 409],
      ["invalid", http.post(maps.path(), { metadata: { name: "A_" }, ...surplus }), 422],
      ["missing", http.put(maps.path("n"), { metadata: { name: "n" }, ...surplus }), 404],
      ["stale", http.put(maps.path("m"), { metadata: { name: "m", resourceVersion: "1" }, ...surplus }), 409],
      ["stale patch", http.patch(maps.path("m"), "merge", { metadata: { resourceVersion: "1" }, ...surplus }), 409],
      ["invalid patch", http.patch(maps.path("m"), "merge", { data: { "/": "v" }, ...surplus }), 422],
    ];
    for (const [title, asked, code] of rows) {
      const answer = await asked;
      assert.equal(answer.status, code, `${title}: ${answer.text}`);
      assert.equal(answer.at("code"), code);
      assert.deepEqual(textsOf(answer), [unknown("surplus")], title);
    }
    const inYaml = await http.call({
      method: "POST",
      path: maps.path(),
      headers: { accept: "application/yaml" },
      body: { metadata: { name: "m" }, ...surplus },
    });
    assert.equal(inYaml.headers["content-type"], "application/yaml");
    assert.match(inYaml.text, /^reason: AlreadyExists$/m);
    const nothing = await http.patch(maps.path("none"), "merge", { ...surplus });
    assertFailure(nothing, { code: 404, reason: "NotFound" });
    assert.equal(nothing.headers["warning"], undefined, "what there is nothing to be made of is not read");
  });
}
