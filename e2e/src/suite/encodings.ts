import assert from "node:assert/strict";
import { test } from "node:test";
import { freshMaps } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const yaml = "application/yaml";

/** JSON and YAML in and out, `pretty` (rules: Media types and headers; Behavior rules, 1). */
export function encodingSuite(on: On): void {
  test("an object sent as YAML is the object sent as JSON, and reads back in either", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const body =
      'metadata:\n  name: in-yaml\n  labels: {state: "yes"}\ndata:\n  text: |\n    two\n    lines\n  number: "1"\n';
    const sent = { method: "POST", path: maps.path(), body, headers: { "content-type": yaml, accept: yaml } };
    const created = await http.call(sent);
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers["content-type"], yaml);
    assert.match(created.text, /^\s*number: "1"$/m);
    assert.match(created.text, /^kind: ConfigMap$/m);
    const json = await http.get(maps.path("in-yaml"));
    assert.equal(json.headers["content-type"], "application/json");
    assert.deepEqual(json.at("data"), { text: "two\nlines\n", number: "1" });
    assert.deepEqual(json.at("metadata.labels"), { state: "yes" });
    const read = await http.call({ path: maps.path("in-yaml"), headers: { accept: yaml } });
    assert.equal(read.text, created.text);
    const replaced = await http.call({
      method: "PUT",
      path: maps.path("in-yaml"),
      body: read.text.replace("two", "three"),
      headers: { "content-type": `${yaml}; charset=utf-8` },
    });
    assert.equal(replaced.at("data.text"), "three\nlines\n");
    const list = await http.call({ path: maps.path(), headers: { accept: yaml } });
    assert.match(list.text, /^kind: ConfigMapList$/m);
  });

  test("of several accepted types the first that can be given is given", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("a");
    const cases: readonly (readonly [accept: string, type: string])[] = [
      ["application/json", "application/json"],
      ["*/*", "application/json"],
      ["application/*", "application/json"],
      ["text/html, application/yaml", yaml],
      ["application/unheard-of, */*;q=0.1", "application/json"],
      [`application/json;as=Table;g=${on().target.naming.metaGroup};v=v1, application/json`, "application/json"],
    ];
    for (const [accept, type] of cases) {
      const answer = await http.call({ path: maps.path("a"), headers: { accept } });
      assert.equal(answer.status, 200, `${accept}: ${answer.text}`);
      assert.equal(answer.headers["content-type"], type, accept);
    }
    for (const path of [maps.path("a"), maps.path(), "/api/v1"]) {
      const refused = await http.call({ path, headers: { accept: "text/html" } });
      assertFailure(refused, { code: 406, reason: "NotAcceptable" });
    }
  });

  test("what is asked and not kept has no table, nor have most parts of objects", async () => {
    const { http, target } = on();
    const maps = await freshMaps(http);
    const pods = `/api/v1/namespaces/${maps.namespace}/pods`;
    const reviews = `/apis/${target.naming.group("authorization")}/v1`;
    const review = { spec: { user: "a", nonResourceAttributes: { path: "/", verb: "get" } } };
    const rows: readonly (readonly [path: string, body: object])[] = [
      [`${reviews}/subjectaccessreviews`, review],
      [`${reviews}/selfsubjectrulesreviews`, { spec: { namespace: "default" } }],
      [`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } }],
      [`${pods}/p/eviction`, { metadata: { name: "p" } }],
      [`/api/v1/namespaces/${maps.namespace}/serviceaccounts/default/token`, { spec: {} }],
    ];
    const table = `application/json;as=Table;g=${target.naming.metaGroup};v=v1`;
    const post = (path: string, body: object, accept: string) =>
      http.call({
        method: "POST",
        path,
        headers: { accept, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const [path, body] of rows) {
      assertFailure(await post(path, body, table), { code: 406, reason: "NotAcceptable" });
    }
    const [[path, body]] = [rows[0] ?? ["", {}]];
    const next = await post(path, body, `${table}, application/json`);
    assert.equal(next.status, 201, next.text);
    assert.equal(next.at("kind"), "SubjectAccessReview");
    const listed = await http.call({ path: pods, headers: { accept: table } });
    assert.equal(listed.at("kind"), "Table");
  });

  test("pretty indents, for objects, lists, errors and discovery", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("a");
    for (const path of [maps.path("a"), maps.path(), maps.path("missing"), "/api/v1"]) {
      const [plain, pretty] = [await http.get(path), await http.get(path, { pretty: true })];
      assert.ok(!plain.text.trim().includes("\n"), path);
      assert.ok(pretty.text.includes('\n  "kind"'), path);
      // People who look at it get it so unasked.
      const seen = await http.call({ path, headers: { "user-agent": "curl/8.0" } });
      assert.ok(seen.text.includes('\n  "kind"'), path);
    }
  });

  test("text outside of ASCII and every escape survives, byte for byte", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const data = { a: 'ñ 漢字 🜚 \u2028 \u0000 " \\ / \b \f \n \r \t', b: "\u001f\u007f" };
    await maps.create("text", { data });
    assert.deepEqual((await http.get(maps.path("text"))).at("data"), data);
    assert.deepEqual((await http.get(maps.path())).at("items.0.data"), data);
    const asYaml = await http.call({ path: maps.path("text"), headers: { accept: yaml } });
    const back = await http.call({
      method: "PUT",
      path: maps.path("text"),
      body: asYaml.text,
      headers: { "content-type": yaml },
    });
    assert.deepEqual(back.at("data"), data, back.text);
  });
}
