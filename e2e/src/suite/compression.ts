import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { freshMaps, versionOf } from "../harness/manifests.js";
import type { On } from "./scene.js";

const lines = (characters: number): string => "all work and no play\n".repeat(Math.ceil(characters / 21));

/** Large answers to reads are compressed for who takes that (rules: Media types and headers). */
export function compressionSuite(on: On): void {
  test("a list of more than 128 KiB is compressed, and is the same list", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    let resourceVersion = "";
    for (let i = 0; i < 3; i++) {
      resourceVersion = versionOf(await maps.create(`m${i}`, { data: { text: lines(60_000) } }));
    }
    const path = maps.path();
    for (const accept of [
      "application/json",
      on().target.naming.protobufMediaType,
      `application/json;as=Table;g=${on().target.naming.metaGroup};v=v1`,
    ]) {
      // Of one moment: others write meanwhile.
      const query = { includeObject: "Object", resourceVersion, resourceVersionMatch: "Exact" };
      const plain = await http.call({ path, query, headers: { accept } });
      assert.equal(plain.headers["content-encoding"], undefined);
      // The second comes from what is kept of the first.
      for (let time = 0; time < 2; time++) {
        const small = await http.call({ path, query, headers: { accept, "accept-encoding": "gzip" } });
        assert.equal(small.headers["content-encoding"], "gzip", accept);
        assert.equal(small.headers["vary"], "Accept-Encoding");
        assert.equal(small.headers["content-type"], plain.headers["content-type"]);
        assert.ok(small.bytes.length < plain.bytes.length / 10);
        assert.ok(withoutAges(gunzipSync(small.bytes)) === withoutAges(plain.bytes), accept);
      }
    }
    await maps.create("m3");
    const after = await http.call({ path, headers: { "accept-encoding": "gzip" } });
    assert.match(gunzipSync(after.bytes).toString("utf8"), /"name":"m3"/, "a change is in the next answer");
    const page = await http.call({ path, query: { limit: 1 }, headers: { "accept-encoding": "gzip" } });
    assert.equal(page.headers["content-encoding"], undefined, "a page of 60 kB is small");
  });

  test("a list that is too large to be kept is compressed as it is sent", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const text = lines(900_000);
    let resourceVersion = "";
    for (let i = 0; i < 20; i++) resourceVersion = versionOf(await maps.create(`m${i}`, { data: { text } }));
    const asked = { path: maps.path(), query: { resourceVersion, resourceVersionMatch: "Exact" } };
    const small = await http.call({ ...asked, headers: { "accept-encoding": "gzip" } });
    assert.equal(small.headers["content-encoding"], "gzip");
    assert.ok(gunzipSync(small.bytes).equals((await http.call(asked)).bytes));
  });

  test("who does not take gzip, asks for little or watches gets no gzip", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("large", { data: { text: lines(200_000) } });
    const rows: readonly (readonly [accepted: string, compressed: boolean])[] = [
      ["gzip", true],
      ["br, gzip;q=0.5", true],
      ["deflate, *", true],
      ["GZIP", true],
      ["", false],
      ["br", false],
      ["identity", false],
      ["gzip;q=0", false],
      ["gzip;q=0, *", false],
      ["*;q=0", false],
    ];
    for (const [accepted, compressed] of rows) {
      for (const path of [maps.path(), maps.path("large")]) {
        const answer = await http.call({ path, headers: { "accept-encoding": accepted } });
        assert.equal(answer.headers["content-encoding"] === "gzip", compressed, `${accepted}: ${path}`);
      }
    }
    const gzip = { "accept-encoding": "gzip" };
    const watch = await http.call({ path: maps.path(), query: { watch: true, timeoutSeconds: 1 }, headers: gzip });
    assert.equal(watch.headers["content-encoding"], undefined);
    assert.match(watch.text, /^\{"type":"ADDED"/);
    const yaml = await http.call({ path: maps.path(), headers: { ...gzip, accept: "application/yaml" } });
    assert.equal(yaml.headers["content-encoding"], undefined);
  });
}

function withoutAges(body: Buffer): string {
  return body.toString("latin1").replaceAll(/"\d+m?s"/g, '"age"');
}
