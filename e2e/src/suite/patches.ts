import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, PatchType } from "../harness/http.js";
import { freshMaps, freshNamespace, versionOf } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import type { On } from "./scene.js";

/** JSON, merge and strategic merge patches (rules: Behavior rules, 3 and 6). */
export function patchSuite(on: On): void {
  mechanisms(on);
  subresources(on);
  conditions(on);
  refusals(on);
  validation(on);
}

const container = (name: string, image = `example.com/${name}:1`) => ({ name, image });
const deployment = (name: string, containers: readonly object[]) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
});

function mechanisms(on: On): void {
  test("a JSON patch adds, replaces, moves, copies, tests and removes", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m", { data: { a: "1", b: "2" } });
    const patched = await done(
      http.patch(maps.path("m"), "json", [
        { op: "test", path: "/data/a", value: "1" },
        { op: "add", path: "/metadata/labels", value: { app: "web" } },
        { op: "copy", from: "/data/a", path: "/data/c" },
        { op: "move", from: "/data/b", path: "/data/d" },
        { op: "add", path: "/metadata/annotations", value: {} },
        { op: "add", path: "/metadata/annotations/example.com~1a", value: "b" },
        { op: "replace", path: "/data/a", value: "9" },
        { op: "add", path: "/metadata/finalizers", value: ["example.com/a"] },
        { op: "add", path: "/metadata/finalizers/-", value: "example.com/b" },
        { op: "remove", path: "/metadata/finalizers/0" },
      ]),
    );
    assert.deepEqual(patched.at("data"), { a: "9", c: "1", d: "2" });
    assert.deepEqual(patched.at("metadata.annotations"), { "example.com/a": "b" });
    assert.deepEqual(patched.at("metadata.labels"), { app: "web" });
    assert.deepEqual(patched.at("metadata.finalizers"), ["example.com/b"]);
    assert.deepEqual((await http.get(maps.path("m"))).json(), patched.json());
    await done(http.patch(maps.path("m"), "json", [{ op: "remove", path: "/metadata/finalizers" }]));
  });

  test("a merge patch sets what it has, removes what it has as null, and replaces lists", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await done(http.post(path, deployment("d", [container("a"), container("b")])));
    const replaced = { spec: { paused: true, template: { spec: { containers: [container("c")] } } } };
    const patched = await done(http.patch(`${path}/d`, "merge", replaced));
    assert.deepEqual(patched.at("spec.template.spec.containers.0.name"), "c");
    assert.equal(patched.at("spec.template.spec.containers.1"), undefined);
    assert.equal(patched.at("spec.paused"), true);
    assert.equal(patched.at("spec.replicas"), 1, "what it does not name stays");
    assert.equal(patched.at("metadata.generation"), 2);
    const unpaused = await done(http.patch(`${path}/d`, "merge", { spec: { paused: null, replicas: null } }));
    assert.equal(unpaused.at("spec.paused"), undefined);
    assert.equal(unpaused.at("spec.replicas"), 1, "a default comes back");
  });

  test("a strategic merge patch merges lists by their keys and follows its directives", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await done(http.post(path, deployment("d", [container("a"), container("b")])));
    const containers = (list: readonly object[], more: object = {}) => ({
      spec: { template: { spec: { containers: list, ...more } } },
    });
    const names = (answer: Answer): readonly unknown[] => {
      const list = answer.at("spec.template.spec.containers");
      return Array.isArray(list) ? list.map((c: { name?: unknown }) => c.name) : [];
    };
    const strategic = (body: object) => done(http.patch(`${path}/d`, "strategic-merge", body));
    const merged = await strategic(containers([{ name: "b", image: "example.com/b:2" }, container("c")]));
    assert.deepEqual(names(merged), ["a", "b", "c"]);
    assert.equal(merged.at("spec.template.spec.containers.1.image"), "example.com/b:2");
    const order = ["c", "b", "a"].map((name) => ({ name }));
    assert.deepEqual(names(await strategic(containers([], { "$setElementOrder/containers": order }))), ["c", "b", "a"]);
    assert.deepEqual(names(await strategic(containers([{ name: "b", $patch: "delete" }]))), ["c", "a"]);
    assert.deepEqual(names(await strategic(containers([container("z"), { $patch: "replace" }]))), ["z"]);
    const strategy = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    assert.deepEqual((await strategic(strategy)).at("spec.strategy"), { type: "Recreate" });
    await strategic({ metadata: { finalizers: ["example.com/a", "example.com/b"] } });
    const fewer = await strategic({ metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } });
    assert.deepEqual(fewer.at("metadata.finalizers"), ["example.com/b"]);
    await strategic({ metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } });
  });

  test("a patch that changes nothing writes nothing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const before = await maps.create("m", { data: { a: "1" } });
    for (const [type, body] of nothing) {
      const answer = await done(http.patch(maps.path("m"), type, body));
      assert.equal(versionOf(answer.object()), versionOf(before), type);
    }
  });

  test("a patch is made in the version of its path", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    await done(http.post(path("v2"), { metadata: { name: "h" }, spec: { scaleTargetRef, maxReplicas: 3 } }));
    const target = { spec: { targetCPUUtilizationPercentage: 70 } };
    const patched = await done(http.patch(`${path("v1")}/h`, "merge", target));
    assert.equal(patched.at("apiVersion"), "autoscaling/v1");
    assert.equal(patched.at("spec.targetCPUUtilizationPercentage"), 70);
    const newer = await http.get(`${path("v2")}/h`);
    assert.equal(newer.at("spec.metrics.0.resource.target.averageUtilization"), 70);
  });
}

const nothing: readonly (readonly [PatchType, object])[] = [
  ["json", []],
  ["json", [{ op: "replace", path: "/data/a", value: "1" }]],
  ["merge", {}],
  ["merge", { data: { a: "1", b: null } }],
  ["strategic-merge", { data: { a: "1" } }],
];

function subresources(on: On): void {
  test("a patch of the status leaves the rest, one of the object leaves the status", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await done(http.post(path, deployment("d", [container("a")])));
    const both = { spec: { replicas: 7 }, status: { observedGeneration: 1, replicas: 1 } };
    for (const type of ["merge", "strategic-merge"] as const) {
      const status = await done(http.patch(`${path}/d/status`, type, both));
      assert.equal(status.at("status.replicas"), 1);
      assert.equal(status.at("spec.replicas"), 1);
    }
    const json = await done(
      http.patch(`${path}/d/status`, "json", [{ op: "replace", path: "/status/replicas", value: 2 }]),
    );
    assert.equal(json.at("status.replicas"), 2);
    const object = await done(http.patch(`${path}/d`, "merge", { spec: { replicas: 3 }, status: { replicas: 9 } }));
    assert.equal(object.at("spec.replicas"), 3);
    assert.equal(object.at("status.replicas"), 2);
  });

  test("a scale is patched as the Scale that it is", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await done(http.post(path, deployment("d", [container("a")])));
    const scaled = await done(http.patch(`${path}/d/scale`, "merge", { spec: { replicas: 4 } }));
    assert.equal(scaled.at("kind"), "Scale");
    assert.equal(scaled.at("spec.replicas"), 4);
    const four = await http.get(`${path}/d`);
    assert.equal(four.at("spec.replicas"), 4);
    await done(http.patch(`${path}/d/scale`, "merge", { spec: { replicas: 4 } }));
    assert.deepEqual((await http.get(`${path}/d`)).json(), four.json(), "nothing changes");
    const wrong = await http.patch(`${path}/d/scale`, "merge", { spec: { replicas: -1 } });
    assertFailure(wrong, { code: 422, reason: "Invalid", message: /spec\.replicas: Invalid value: -1/ });
  });

  test("a pod's ephemeral containers are added by a patch of theirs", async () => {
    const { http } = on();
    const path = `/api/v1/namespaces/${await freshNamespace(http)}/pods`;
    await done(http.post(path, { metadata: { name: "p" }, spec: { containers: [container("a")] } }));
    const debug = { spec: { ephemeralContainers: [container("debug")] } };
    const patched = await done(http.patch(`${path}/p/ephemeralcontainers`, "strategic-merge", debug));
    assert.equal(patched.at("spec.ephemeralContainers.0.name"), "debug");
  });
}

function conditions(on: On): void {
  test("a patch with a version, or If-Match, is made on that version and on no other", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("m");
    const at = (resourceVersion: string, value: string) => ({ metadata: { resourceVersion }, data: { k: value } });
    const second = await done(http.patch(maps.path("m"), "merge", at(versionOf(first), "1")));
    const stale = { code: 409, reason: "Conflict", message: /the object has been modified/ };
    assertFailure(await http.patch(maps.path("m"), "merge", at(versionOf(first), "2")), stale);
    const call = (method: string, ifMatch: string) =>
      http.call({
        method,
        path: maps.path("m"),
        headers: { "content-type": "application/merge-patch+json", "if-match": ifMatch },
        ...(method === "PATCH" ? { body: Buffer.from('{"data":{"k":"3"}}') } : {}),
      });
    assertFailure(await call("PATCH", `"${versionOf(first)}"`), stale);
    const third = await done(call("PATCH", `"0", "${versionOf(second.object())}"`));
    assert.equal(third.at("data.k"), "3");
    assertFailure(await call("DELETE", versionOf(first)), stale);
    await done(call("DELETE", "*"));
    assertFailure(await call("PATCH", "*"), { code: 404, reason: "NotFound" });
  });

  test("patches of many at once are all made", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m");
    const writers = Array.from({ length: 30 }, (_, i) => i);
    await Promise.all(writers.map((i) => done(http.patch(maps.path("m"), "merge", { data: { [`k${i}`]: `${i}` } }))));
    const data = (await http.get(maps.path("m"))).at("data");
    assert.deepEqual(data, Object.fromEntries(writers.map((i) => [`k${i}`, `${i}`])));
  });

  test("the last finalizer of a deleted object is removed by a patch", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await done(http.post(maps.path(), { metadata: { name: "m", finalizers: ["example.com/a"] } }));
    await done(http.delete(maps.path("m")));
    const more = { metadata: { finalizers: ["example.com/a", "example.com/b"] } };
    assertFailure(await http.patch(maps.path("m"), "merge", more), { code: 422, reason: "Invalid" });
    await done(http.patch(maps.path("m"), "merge", { metadata: { finalizers: null } }));
    assertFailure(await http.get(maps.path("m")), { code: 404, reason: "NotFound" });
  });

  test("a dry run of a patch answers what it would, and changes nothing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const before = await maps.create("m");
    const dry = await done(http.patch(maps.path("m"), "merge", { data: { k: "v" } }, { dryRun: "All" }));
    assert.equal(dry.at("data.k"), "v");
    assert.deepEqual((await http.get(maps.path("m"))).object(), before);
    const wrong = await http.patch(maps.path("m"), "merge", { data: { k: 1 } }, { dryRun: "All" });
    assertFailure(wrong, { code: 422, reason: "Invalid" });
  });
}

function refusals(on: On): void {
  test("a patch may not make another object of it", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m");
    const rows: readonly (readonly [object, number])[] = [
      [{ metadata: { name: "n" } }, 400],
      [{ metadata: { name: null } }, 400],
      [{ metadata: { namespace: "other" } }, 400],
      [{ metadata: { uid: "u" } }, 422],
      [{ kind: "Secret" }, 422],
      [{ apiVersion: "v2" }, 422],
    ];
    for (const [body, code] of rows) {
      const reason = code === 400 ? "BadRequest" : "Invalid";
      assertFailure(await http.patch(maps.path("m"), "merge", body), { code, reason });
    }
    assert.equal((await http.get(maps.path("m"))).at("metadata.name"), "m");
  });

  test("patches that cannot be made are refused, and nothing is lost", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m", { data: { k: "v" } });
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    const bomb = [
      { op: "add", path: "/data/a", value: "x".repeat(100_000) },
      ...Array.from({ length: 200 }, (_, i) => ({ op: "copy", from: "/data", path: `/data/c${i}` })),
    ];
    const rows: readonly (readonly [PatchType, object | string, number])[] = [
      ["json", "[", 400],
      ["json", "1", 400],
      ["merge", "[]", 400],
      ["merge", "null", 400],
      ["merge", '"text"', 400],
      ["strategic-merge", "[1]", 400],
      ["merge", deep, 400],
      ["strategic-merge", deep, 400],
      ["json", bomb, 413],
      ["json", [{ op: "add", path: "/data/x/y/z", value: "1" }], 422],
      ["json", [{ op: "replace", path: "/__proto__/polluted", value: "1" }], 422],
      ["json", [{ op: "remove", path: "/metadata" }], 400],
      ["strategic-merge", { data: { $patch: "explode" } }, 400],
    ];
    for (const [type, body, code] of rows) {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await http.patch(maps.path("m"), type, sent);
      assert.equal(answer.status, code, `${type} ${sent.slice(0, 80)}: ${answer.text.slice(0, 300)}`);
    }
    assert.deepEqual((await http.get(maps.path("m"))).at("data"), { k: "v" });
  });
}

function validation(on: On): void {
  test("unknown and repeated fields of a patch are ignored, warned of or refused, as asked", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("m");
    const rows: readonly (readonly [PatchType, string, readonly string[]])[] = [
      ["merge", '{"data":{"k":"1","k":"2"},"spec":{}}', ['duplicate field "data.k"', 'unknown field "spec"']],
      ["strategic-merge", '{"data":{"k":"1","k":"2"},"spec":{}}', ['duplicate field "data.k"', 'unknown field "spec"']],
      [
        "json",
        '[{"op":"add","path":"/spec","value":{},"foo":1,"op":"add"}]',
        ['json patch unknown field "[0].foo"', 'json patch duplicate field "[0].op"', 'unknown field "spec"'],
      ],
    ];
    for (const [type, body, problems] of rows) {
      const said = await done(http.patch(maps.path("m"), type, body));
      const quoted = problems.map((problem) => `299 - ${JSON.stringify(problem)}`);
      assert.deepEqual(said.headers["warning"], quoted.join(", "), type);
      const silent = await done(http.patch(maps.path("m"), type, body, { fieldValidation: "Ignore" }));
      assert.equal(silent.headers["warning"], undefined);
      const strict = await http.patch(maps.path("m"), type, body, { fieldValidation: "Strict" });
      assertFailure(strict, { code: 400, reason: "BadRequest" });
      assert.ok(String(strict.at("message")).endsWith(`strict decoding error: ${problems.join(", ")}`), strict.text);
    }
  });
}
