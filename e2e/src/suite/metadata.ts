import assert from "node:assert/strict";
import { test } from "node:test";
import { freshMaps, freshNamespace, nameOf, versionOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

/** What the server sets and keeps (rules: Common object metadata; Behavior rules, 3 to 5). */
export function metadataSuite(on: On): void {
  names(on);
  concurrency(on);
  status(on);
  options(on);
}

function names(on: On): void {
  test("generateName gives each object a name and a uid of its own", async () => {
    const { http } = on();
    const { path } = await freshMaps(http);
    const made = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await http.post(path(), { metadata: { generateName: "many-" } })).object(),
      ),
    );
    assert.equal(new Set(made.map(nameOf)).size, 20);
    assert.equal(new Set(made.map((o) => o.metadata.uid)).size, 20);
    for (const object of made) assert.match(nameOf(object), /^many-[a-z0-9]{5}$/);
  });

  test("a name that is given wins over generateName, and neither of them is refused", async () => {
    const { http } = on();
    const { path } = await freshMaps(http);
    const both = await http.post(path(), { metadata: { generateName: "many-", name: "given" } });
    assert.equal(nameOf(both.object()), "given");
    const neither = await http.post(path(), { metadata: {} });
    assertFailure(neither, { code: 422, reason: "Invalid", message: /name or generateName is required/ });
  });

  test("a kind that names itself takes a random name where none is given", async () => {
    const { http } = on();
    const path = `/api/v1/namespaces/${await freshNamespace(http)}/limitranges`;
    const created = await http.post(path, { metadata: {}, spec: { limits: [] } });
    assert.equal(created.status, 201, created.text);
    assert.match(String(created.at("metadata.name")), /^[0-9a-f-]{36}$/);
  });

  test("a deleted name may be used again, with a new uid", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("reused");
    await maps.remove("reused");
    const second = await maps.create("reused");
    assert.notEqual(second.metadata.uid, first.metadata.uid);
    const stale = await http.put(maps.path("reused"), {
      ...first,
      metadata: { ...first.metadata, resourceVersion: "" },
    });
    assertFailure(stale, { code: 409, reason: "Conflict", message: /UID in precondition/ });
  });

  test("clients cannot set uid, creationTimestamp, deletionTimestamp or managed metadata", async () => {
    const { http } = on();
    const { path } = await freshMaps(http);
    const metadata = {
      name: "fixed",
      uid: "00000000-0000-4000-8000-000000000000",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
    };
    const created = (await http.post(path(), { metadata })).object();
    assert.notEqual(created.metadata.uid, metadata.uid);
    assert.notEqual(created.metadata["creationTimestamp"], metadata.creationTimestamp);
    assert.equal(created.metadata["deletionTimestamp"], undefined);
    const changed = await http.put(path("fixed"), {
      ...created,
      metadata: { ...created.metadata, creationTimestamp: metadata.creationTimestamp },
    });
    assert.equal(changed.object().metadata["creationTimestamp"], created.metadata["creationTimestamp"]);
  });
}

function concurrency(on: On): void {
  test("a replacement with an old resourceVersion gets 409 and changes nothing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("contested", { data: { n: "0" } });
    const second = await maps.change(first, { n: "1" });
    const stale = await http.put(maps.path("contested"), { ...first, data: { n: "2" } });
    assertFailure(stale, { code: 409, reason: "Conflict", message: /the object has been modified/ });
    assert.equal(stale.at("details.name"), "contested");
    assert.equal(stale.at("details.kind"), "configmaps");
    assert.deepEqual((await http.get(maps.path("contested"))).json(), {
      kind: "ConfigMap",
      apiVersion: "v1",
      ...second,
    });
  });

  test("of many replacements of one version exactly one wins, and counters lose no step", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("counter", { data: { n: "0" } });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => http.put(maps.path("counter"), { ...first, data: { by: String(i) } })),
    );
    assert.equal(answers.filter((a) => a.status === 200).length, 1);
    assert.equal(answers.filter((a) => a.status === 409).length, 15);
    await maps.change((await http.get(maps.path("counter"))).object(), { n: "0" });
    const increment = async (): Promise<void> => {
      for (;;) {
        const current = await http.get(maps.path("counter"));
        const n = Number(current.at("data.n")) + 1;
        const answer = await http.put(maps.path("counter"), { ...current.object(), data: { n: String(n) } });
        if (answer.status === 200) return;
        assert.equal(answer.status, 409, answer.text);
      }
    };
    await Promise.all(Array.from({ length: 8 }, increment));
    assert.equal((await http.get(maps.path("counter"))).at("data.n"), "8");
  });

  test("who replaces, or makes, what others delete all the time always can", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}/events/e`;
    const crowd = Array.from({ length: 16 }, (_, i) => i);
    const codes = await Promise.all(
      crowd.map(async (i) => {
        const seen: number[] = [];
        for (let turn = 0; turn < 15; turn++) {
          const event = { metadata: { name: "e" }, involvedObject: { namespace }, message: `${i} ${turn}` };
          if (i % 2 === 0) await http.delete(path);
          else seen.push((await http.put(path, event)).status);
        }
        return seen;
      }),
    );
    assert.ok(
      codes.flat().every((code) => code === 200 || code === 201),
      codes.join(),
    );
  });

  test("a replacement without resourceVersion is unconditional", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("open");
    const answer = await http.put(maps.path("open"), { metadata: { name: "open" }, data: { k: "new" } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.at("data.k"), "new");
  });

  test("a replacement that changes nothing keeps the resourceVersion", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("same", { data: { k: "v" } });
    assert.equal(versionOf(await maps.change(first, { k: "v" })), versionOf(first));
  });

  test("generation counts changes of the spec and no others", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/apis/${on().target.naming.group("discovery")}/v1/namespaces/${namespace}/endpointslices`;
    const created = (await http.post(path, { metadata: { name: "g" }, addressType: "IPv4", endpoints: [] })).object();
    assert.equal(created.metadata.generation, 1);
    const labelled = (
      await http.put(`${path}/g`, { ...created, metadata: { ...created.metadata, labels: { a: "b" } } })
    ).object();
    const unchanged = labelled.metadata.generation;
    const changed = (await http.put(`${path}/g`, { ...labelled, endpoints: [{ addresses: ["10.0.0.9"] }] })).object();
    assert.equal(changed.metadata.generation, Number(unchanged) + 1);
  });
}

function status(on: On): void {
  test("a status is not the client's to write with the object", async () => {
    const { http } = on();
    const path = `/api/v1/namespaces/${await freshNamespace(http)}/pods`;
    const pod = {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
      status: { phase: "Running", podIP: "10.0.0.1" },
    };
    const created = await http.post(path, pod);
    assert.equal(created.at("status.phase"), "Pending", created.text);
    assert.equal(created.at("status.podIP"), undefined);
    const changed = await http.put(`${path}/p`, { ...created.object(), status: pod.status });
    assert.equal(changed.at("status.phase"), "Pending", changed.text);
    assert.equal(changed.at("metadata.resourceVersion"), created.at("metadata.resourceVersion"));
  });
}

function options(on: On): void {
  test("a dry run answers as the real request would and stores nothing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const dry = await http.post(maps.path(), { metadata: { name: "dry" }, data: { k: "v" } }, { dryRun: "All" });
    assert.equal(dry.status, 201, dry.text);
    assertFailure(await http.get(maps.path("dry")), { code: 404, reason: "NotFound" });
    const real = await maps.create("dry", { data: { k: "v" } });
    const change = await http.put(maps.path("dry"), { ...real, data: { k: "w" } }, { dryRun: "All" });
    assert.equal(change.at("data.k"), "w");
    assert.equal((await http.delete(maps.path("dry"), { dryRun: "All" })).status, 200);
    assert.deepEqual((await http.get(maps.path("dry"))).object().metadata, real.metadata);
    const again = await http.post(maps.path(), { metadata: { name: "dry" } }, { dryRun: "All" });
    assertFailure(again, { code: 409, reason: "AlreadyExists" });
    assertFailure(await http.post(maps.path(), { metadata: { name: "x" } }, { dryRun: "Some" }), {
      code: 422,
      reason: "Invalid",
    });
  });

  test("unknown and duplicate fields are ignored, warned of or refused, as asked", async () => {
    const { http } = on();
    const { path } = await freshMaps(http);
    const send = (name: string, fieldValidation?: string) =>
      http.call({
        method: "POST",
        path: path(),
        query: fieldValidation === undefined ? {} : { fieldValidation },
        headers: { "content-type": "application/json" },
        body: `{"metadata":{"name":"${name}"},"surplus":1,"data":{"k":"1"},"data":{"k":"2"}}`,
      });
    const warned = await send("warned");
    assert.equal(warned.status, 201);
    assert.equal(warned.headers["warning"], '299 - "unknown field \\"surplus\\"", 299 - "duplicate field \\"data\\""');
    const ignored = await send("ignored", "Ignore");
    assert.equal(ignored.status, 201);
    assert.equal(ignored.headers["warning"], undefined);
    assert.equal(ignored.at("surplus"), undefined);
    assertFailure(await send("strict", "Strict"), {
      code: 400,
      reason: "BadRequest",
      message: /strict decoding error: unknown field "surplus", duplicate field "data"/,
    });
  });
}
