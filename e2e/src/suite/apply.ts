import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Http, Query } from "../harness/http.js";
import { freshMaps, freshNamespace, versionOf } from "../harness/manifests.js";
import { assertFailure, done } from "../harness/status.js";
import type { On } from "./scene.js";

/** Server-side apply at the HTTP surface, rule by rule (rules: Server-side apply). */
export function applySuite(on: On): void {
  ownership(on);
  updates(on);
  mergeStrategies(on);
  versions(on);
  resets(on);
  bodies(on);
  crowds(on);
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

function managers(answer: Answer): readonly Entry[] {
  const entries = answer.at("metadata.managedFields") ?? [];
  assert.ok(Array.isArray(entries));
  return entries;
}

function fieldsOf(answer: Answer, manager: string): unknown {
  return managers(answer).find((entry) => entry.manager === manager)?.fieldsV1;
}

/** Applies of a config map's data by a manager. */
async function appliedMaps(http: Http) {
  const maps = await freshMaps(http);
  const apply = (manager: string, data: object | undefined, query: Query = {}): Promise<Answer> => {
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "m" },
      ...(data === undefined ? {} : { data }),
    };
    return http.patch(maps.path("m"), "apply", body, { fieldManager: manager, ...query });
  };
  return { maps, apply };
}

const conflict = (field: string, manager: string) => ({
  code: 409,
  reason: "Conflict",
  message: `Apply failed with 1 conflict: conflict with "${manager}": ${field}`,
});

function ownership(on: On): void {
  test("rule 1: another's value is a conflict, an equal one is shared, and who leaves a field out gives it up", async () => {
    const { http } = on();
    const { apply } = await appliedMaps(http);
    const created = await apply("one", { a: "1", b: "1" });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(fieldsOf(created, "one"), { "f:data": { "f:a": {}, "f:b": {} } });
    assertFailure(await apply("two", { a: "2" }), conflict(".data.a", "one"));
    const shared = await done(apply("two", { a: "1" }));
    assert.deepEqual(fieldsOf(shared, "two"), { "f:data": { "f:a": {} } });
    assertFailure(await apply("one", { a: "3", b: "1" }), conflict(".data.a", "two"));
    const givenUp = await done(apply("one", { b: "1" }));
    assert.deepEqual(fieldsOf(givenUp, "one"), { "f:data": { "f:b": {} } });
    assert.deepEqual(givenUp.at("data"), { a: "1", b: "1" }, "another has it still");
  });

  test("rule 2: an apply needs its manager; other writers are told by their User-Agent", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    assertFailure(await apply("", {}), { code: 422, reason: "Invalid", message: /fieldManager: Required value/ });
    const agent = (userAgent: string, query: Query = {}) =>
      done(
        http.call({
          method: "POST",
          path: maps.path(),
          query,
          headers: { "user-agent": userAgent },
          body: { metadata: { generateName: "g-" }, data: { k: "v" } },
        }),
      );
    const [entry] = managers(await agent("tool/v1.2 (linux) x"));
    assert.deepEqual([entry?.manager, entry?.operation, entry?.apiVersion], ["tool", "Update", "v1"]);
    assert.deepEqual(entry?.fieldsV1, { "f:data": { ".": {}, "f:k": {} }, "f:metadata": { "f:generateName": {} } });
    assert.equal(managers(await agent("tool/v1.2", { fieldManager: "named" }))[0]?.manager, "named");
    const nobody = await done(http.post(maps.path(), { metadata: { name: "nobody" }, data: { k: "v" } }));
    assert.equal(managers(nobody)[0]?.manager, "unknown");
  });

  test("rule 4: a conflict ends by force, by leaving the field out, or by taking the live value", async () => {
    const { http } = on();
    const { apply } = await appliedMaps(http);
    await done(apply("one", { a: "1", b: "1", c: "1" }));
    const forced = await done(apply("two", { a: "2" }, { force: true }));
    assert.equal(forced.at("data.a"), "2");
    assert.deepEqual(fieldsOf(forced, "one"), { "f:data": { "f:b": {}, "f:c": {} } });
    await done(apply("two", { a: "2", b: "1" }));
    assertFailure(await apply("two", { a: "2", b: "2" }), conflict(".data.b", "one"));
    const taken = await done(apply("one", { a: "2", b: "1", c: "1" }));
    assert.deepEqual(fieldsOf(taken, "one"), { "f:data": { "f:a": {}, "f:b": {}, "f:c": {} } });
  });

  test("rule 5: what a manager no longer applies and nobody else owns is removed, or reset to its default", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const one = deployment({ replicas: 3, minReadySeconds: 5 });
    const apply = (body: object) => done(http.patch(path, "apply", body, { fieldManager: "one" }));
    assert.equal((await apply(one)).at("spec.replicas"), 3);
    const fewer = await apply(deployment({}));
    assert.equal(fewer.at("spec.minReadySeconds"), undefined);
    assert.equal(fewer.at("spec.replicas"), 1, "the default");
  });

  test("rule 10: a field is handed over by sharing it first", async () => {
    const { http } = on();
    const { apply } = await appliedMaps(http);
    await done(apply("one", { a: "1", b: "1" }));
    await done(apply("two", { a: "1" }));
    const handed = await done(apply("one", { b: "1" }));
    assert.deepEqual(handed.at("data"), { a: "1", b: "1" });
    assert.deepEqual(fieldsOf(handed, "two"), { "f:data": { "f:a": {} } });
    assert.equal((await done(apply("two", { a: "9" }))).at("data.a"), "9");
  });
}

const deployment = (spec: object, containers: readonly object[] = [{ name: "c", image: "example.com/c:1" }]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    ...spec,
    selector: { matchLabels: { app: "d" } },
    template: { metadata: { labels: { app: "d" } }, spec: { containers } },
  },
});

function updates(on: On): void {
  test("rule 3: an update takes ownership and never fails; its entries are one for manager and version", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    await done(apply("one", { a: "1", b: "1" }));
    const update = (value: string) =>
      done(http.patch(maps.path("m"), "merge", { data: { a: value } }, { fieldManager: "up" }));
    const updated = await update("2");
    assert.deepEqual(fieldsOf(updated, "one"), { "f:data": { "f:b": {} } });
    assert.deepEqual(fieldsOf(updated, "up"), { "f:data": { "f:a": {} } });
    assert.equal(managers(await update("3")).length, 2);
    assertFailure(await apply("one", { a: "1", b: "1" }), {
      code: 409,
      reason: "Conflict",
      message: /^Apply failed with 1 conflict: conflict with "up" using v1: \.data\.a$/,
    });
  });

  test("a write that changes nothing keeps the version and the time of every entry", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    const first = await done(apply("one", { a: "1" }));
    const again = await done(apply("one", { a: "1" }));
    assert.deepEqual(again.json(), first.json());
    const put = await done(http.put(maps.path("m"), first.object()));
    assert.equal(versionOf(put.object()), versionOf(first.object()));
  });

  test("more than ten managers that update are merged into ancient-changes", async () => {
    const { http } = on();
    const { maps } = await appliedMaps(http);
    await maps.create("m", { data: { k: "v" } });
    let answer: Answer | undefined;
    for (let i = 0; i < 12; i++) {
      answer = await done(http.patch(maps.path("m"), "merge", { data: { [`k${i}`]: "v" } }, { fieldManager: `m${i}` }));
    }
    assert.ok(answer);
    const names = managers(answer).map((entry) => entry.manager);
    assert.equal(names.length, 10);
    assert.ok(names.includes("ancient-changes"), names.join());
  });

  test("the status is owned through its subresource alone, and the rest never is", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const status = { replicas: 1, observedGeneration: 1 };
    await done(http.patch(path, "apply", { ...deployment({}), status }, { fieldManager: "main" }));
    const applied = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { replicas: 9 },
      status,
    };
    const answer = await done(http.patch(`${path}/status`, "apply", applied, { fieldManager: "controller" }));
    assert.equal(answer.at("status.replicas"), 1);
    assert.equal(answer.at("spec.replicas"), 1);
    const entry = managers(answer).find(({ manager }) => manager === "controller");
    assert.equal(entry?.subresource, "status");
    assert.deepEqual(entry?.fieldsV1, { "f:status": { "f:observedGeneration": {}, "f:replicas": {} } });
    assert.equal(Object.hasOwn(Object(fieldsOf(answer, "main")), "f:status"), false);
    assertFailure(await http.patch(`${path}x/status`, "apply", { ...applied, metadata: {} }, { fieldManager: "c" }), {
      code: 404,
      reason: "NotFound",
    });
  });

  test("replicas set through scale are owned through it, and conflict as such", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    await done(http.patch(path, "apply", deployment({ replicas: 2 }), { fieldManager: "user" }));
    const scaled = http.patch(`${path}/scale`, "merge", { spec: { replicas: 5 } }, { fieldManager: "scaler" });
    assert.equal((await done(scaled)).at("spec.replicas"), 5);
    const after = await http.get(path);
    const entry = managers(after).find(({ manager }) => manager === "scaler");
    assert.equal(entry?.subresource, "scale");
    assert.equal(entry?.apiVersion, "apps/v1");
    assert.deepEqual(entry?.fieldsV1, { "f:spec": { "f:replicas": {} } });
    assertFailure(await http.patch(path, "apply", deployment({ replicas: 2 }), { fieldManager: "user" }), {
      code: 409,
      reason: "Conflict",
      message: /conflict with "scaler" with subresource "scale" using apps\/v1: \.spec\.replicas/,
    });
    assert.equal(
      (await done(http.patch(path, "apply", deployment({}), { fieldManager: "user" }))).at("spec.replicas"),
      5,
    );
  });
}

function mergeStrategies(on: On): void {
  test("rule 6: lists that are sets, maps and atomic are merged as such", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const held = (finalizers: readonly string[], containers: readonly object[]) => ({
      ...deployment({}, containers),
      metadata: { name: "d", finalizers },
    });
    const c = (name: string, more: object = {}) => ({ name, image: "example.com/c:1", ...more });
    const apply = (manager: string, body: object) => http.patch(path, "apply", body, { fieldManager: manager });
    const port = { containerPort: 80 };
    await done(apply("one", held(["example.com/a"], [c("a", { args: ["x"], ports: [port] })])));
    const two = await apply("two", held(["example.com/b"], [{ name: "a", image: "example.com/c:1", args: ["y"] }]));
    assertFailure(two, {
      code: 409,
      reason: "Conflict",
      message: /\.spec\.template\.spec\.containers\[name="a"\]\.args$/,
    });
    const shared = await done(
      apply("two", held(["example.com/b"], [c("a", { ports: [{ containerPort: 80, name: "web" }] })])),
    );
    assert.deepEqual(shared.at("metadata.finalizers"), ["example.com/a", "example.com/b"]);
    assert.deepEqual(shared.at("spec.template.spec.containers.0.ports"), [
      { containerPort: 80, name: "web", protocol: "TCP" },
    ]);
    const fields = JSON.stringify(fieldsOf(shared, "two"));
    assert.ok(fields.includes('"f:finalizers":{"v:\\"example.com/b\\"":{}}'), fields);
    assert.ok(fields.includes('"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}"'), fields);
    await done(http.patch(path, "merge", { metadata: { finalizers: null } }));
  });

  test("rules 5 and 6: an item that its owner leaves out goes, another's stays", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const c = (name: string) => ({ name, image: `example.com/${name}:1` });
    const apply = (manager: string, names: readonly string[]) =>
      done(http.patch(path, "apply", deployment({}, names.map(c)), { fieldManager: manager }));
    await apply("one", ["a", "b"]);
    await apply("two", ["a", "x"]);
    const fewer = await apply("one", ["a"]);
    const list = fewer.at("spec.template.spec.containers");
    assert.ok(Array.isArray(list));
    assert.deepEqual(
      list.map((one: { name: string }) => one.name),
      ["a", "x"],
    );
  });
}

function versions(on: On): void {
  test("an entry of another version is converted when the object is changed in this one", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers/h`;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    const body = (version: string, spec: object) => ({
      apiVersion: `autoscaling/${version}`,
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { scaleTargetRef, ...spec },
    });
    const old = body("v1", { maxReplicas: 3, targetCPUUtilizationPercentage: 50 });
    await done(http.patch(path("v1"), "apply", old, { fieldManager: "old" }));
    const newer = body("v2", { maxReplicas: 4 });
    assertFailure(await http.patch(path("v2"), "apply", newer, { fieldManager: "new" }), {
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "old": .spec.maxReplicas',
    });
    const forced = await done(http.patch(path("v2"), "apply", newer, { fieldManager: "new", force: true }));
    const entry = managers(forced).find(({ manager }) => manager === "old");
    assert.equal(entry?.apiVersion, "autoscaling/v1");
    assert.equal(JSON.stringify(entry?.fieldsV1).includes("f:maxReplicas"), false);
  });
}

function resets(on: On): void {
  test("rule 12: a list with one empty entry clears managedFields, an empty list does not", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    await done(apply("one", { a: "1" }));
    const kept = await done(http.patch(maps.path("m"), "merge", { metadata: { managedFields: [] } }));
    assert.equal(managers(kept)[0]?.manager, "one");
    const cleared = await done(http.patch(maps.path("m"), "merge", { metadata: { managedFields: [{}] } }));
    assert.equal(cleared.at("metadata.managedFields"), undefined);
    await done(apply("one", { a: "1" }));
    const both = await done(
      http.patch(
        maps.path("m"),
        "json",
        [
          { op: "replace", path: "/metadata/managedFields", value: [{}] },
          { op: "add", path: "/data/b", value: "2" },
        ],
        { fieldManager: "clearer" },
      ),
    );
    assert.deepEqual(
      managers(both).map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
      [["clearer", { "f:data": { "f:b": {} } }]],
    );
  });

  test("rule 11: who applied on the client's side goes on with server-side apply without a conflict", async () => {
    const { http, target } = on();
    const { maps, apply } = await appliedMaps(http);
    const { manager, annotation } = target.naming.clientSideApply;
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "1" } };
    const metadata = { name: "m", annotations: { [annotation]: JSON.stringify(applied) } };
    await done(http.post(maps.path(), { metadata, data: { a: "1", b: "1" } }, { fieldManager: "client-side" }));
    assertFailure(await apply(manager, { a: "2", b: "2" }), {
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "client-side" using v1: .data.b',
    });
    const migrated = await done(apply(manager, { a: "2" }));
    assert.equal(migrated.at("data.a"), "2");
    const kept = JSON.parse(String(Object(migrated.at("metadata.annotations"))[annotation]));
    assert.deepEqual(kept.data, { a: "2" }, "the annotation is kept for clients that go back");
    assertFailure(await apply("other", { a: "3" }), conflict(".data.a", manager));
  });
}

function bodies(on: On): void {
  test("rule 13: a body is YAML or JSON, a whole type, without managedFields", async () => {
    const { http } = on();
    const { maps } = await appliedMaps(http);
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: '1'\n";
    const apply = (body: object | string, query: Query = {}) =>
      http.patch(maps.path("m"), "apply", body, { fieldManager: "one", ...query });
    assert.equal((await done(apply(yaml))).at("data.a"), "1");
    const base = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } };
    const rows: readonly (readonly [object | string, number, RegExp])[] = [
      [{ ...base, apiVersion: "v2" }, 400, /invalid object type: \/v2, Kind=ConfigMap/],
      [{ ...base, kind: "Secret" }, 400, /invalid object type: \/v1, Kind=Secret/],
      [{ kind: "ConfigMap", metadata: { name: "m" } }, 400, /invalid object type: \/, Kind=ConfigMap/],
      [{ ...base, metadata: { name: "m", managedFields: [{}] } }, 400, /metadata\.managedFields must be nil/],
      [{ ...base, metadata: { name: "n" } }, 400, /does not match the name on the URL/],
      [{ ...base, spec: {} }, 400, /\.spec: field not declared in schema/],
      [{ ...base, data: { a: 1 } }, 400, /\.data\.a: expected string, got/],
      ["a: [", 400, /error decoding YAML/],
      ["- a", 400, /error decoding YAML/],
      ["", 400, /error decoding YAML|invalid object type/],
    ];
    for (const [body, code, message] of rows) {
      const answer = await apply(body);
      assert.equal(answer.status, code, answer.text);
      assert.match(String(answer.at("message")), message);
    }
    const repeated = yaml.replace("a: '1'", "a: '1'\n  a: '2'");
    assertFailure(await apply(repeated, { fieldValidation: "Strict" }), {
      code: 400,
      reason: "BadRequest",
      message: /error strict decoding YAML/,
    });
    assert.match(String((await done(apply(repeated))).headers["warning"]), /line 6: key .+a.+ already set in map/);
  });

  test("items of a list need their keys, once each", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/d`;
    const rows: readonly (readonly [readonly object[], number, RegExp])[] = [
      [[{ image: "i" }], 422, /containers\[0\]\.name: Required value/],
      [[{ name: null }], 422, /containers\[0\]\.name: Required value/],
      [[{ name: "a" }, { name: "a" }], 400, /duplicate entries for key \[name="a"\]/],
    ];
    for (const [containers, code, message] of rows) {
      const answer = await http.patch(path, "apply", deployment({}, containers), { fieldManager: "one" });
      assert.equal(answer.status, code, answer.text);
      assert.match(String(answer.at("message")), message);
    }
    assertFailure(await http.get(path), { code: 404, reason: "NotFound" });
  });

  test("forged managedFields are refused", async () => {
    const { http } = on();
    const { maps } = await appliedMaps(http);
    await maps.create("m", { data: { a: "1" } });
    const entry = { manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} };
    const rows: readonly object[] = [
      { ...entry, fieldsType: "FieldsV9" },
      { ...entry, operation: "Steal" },
      { ...entry, fieldsV1: { "q:data": {} } },
      { ...entry, fieldsV1: { "k:{": {} } },
      { ...entry, fieldsV1: { "i:x": {} } },
      { ...entry, fieldsV1: { "f:data": 1 } },
      { ...entry, manager: "x".repeat(200) },
      { ...entry, apiVersion: "a/b/c" },
    ];
    for (const forged of rows) {
      const answer = await http.patch(maps.path("m"), "merge", { metadata: { managedFields: [forged] } });
      assert.equal(answer.status, 422, JSON.stringify(forged));
      assertFailure(answer, { code: 422, reason: "Invalid", message: /metadata\.managedFields\[0\]/ });
      const live = await http.get(maps.path("m"));
      assert.equal(managers(live)[0]?.manager, "unknown", `${JSON.stringify(forged)}: ${live.text}`);
    }
  });
}

function crowds(on: On): void {
  test("of a hundred appliers of one object each succeeds with its own field, and none is lost", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    const all = Array.from({ length: 100 }, (_, i) => i);
    const answers = await Promise.all(all.map((i) => apply(`m${i}`, { [`k${i}`]: "v", shared: `${i % 2}` })));
    const won = all.filter((i) => (answers[i]?.status ?? 0) < 300);
    for (const answer of answers) assert.ok([200, 201, 409].includes(answer.status), answer.text);
    const live = await http.get(maps.path("m"));
    const data = live.at("data");
    assert.ok(typeof data === "object" && data !== null);
    assert.deepEqual(new Set(Object.keys(data)), new Set([...won.map((i) => `k${i}`), "shared"]));
    assert.equal(managers(live).length, won.length);
    assert.equal(new Set(won.map((i) => i % 2)).size, 1, "those who agree with the first");
  });

  test("who applies to what others create and delete all the time has it there, or made", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    const crowd = Array.from({ length: 24 }, (_, i) => i);
    const answers = await Promise.all(
      crowd.map(async (i) => {
        const codes: number[] = [];
        for (let turn = 0; turn < 15; turn++) {
          if (i % 3 === 0) await http.delete(maps.path("m"));
          else if (i % 3 === 1) await http.post(maps.path(), { metadata: { name: "m" }, data: { k: `${turn}` } });
          else codes.push((await apply(`m${i}`, { [`k${i}`]: `${turn}` })).status);
        }
        return codes;
      }),
    );
    const codes = new Set(answers.flat());
    assert.ok(
      [...codes].every((code) => code === 200 || code === 201),
      [...codes].join(),
    );
  });

  test("a hundred appliers of fields of their own all succeed", async () => {
    const { http } = on();
    const { maps, apply } = await appliedMaps(http);
    const all = Array.from({ length: 100 }, (_, i) => i);
    await Promise.all(all.map((i) => done(apply(`m${i}`, { [`k${i}`]: "v" }))));
    assert.equal(managers(await http.get(maps.path("m"))).length, 100);
  });
}
