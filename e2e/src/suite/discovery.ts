import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { samples } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

/** Discovery and version (rules: Groups and enabling). */
export function discoverySuite(on: On): void {
  test("discovery leads from the roots to every kind of this build", async () => {
    const { http, target } = on();
    const discovery = target.naming.group("discovery");
    const core = await http.get("/api");
    assert.equal(core.at("kind"), "APIVersions");
    assert.deepEqual(core.at("versions"), ["v1"]);
    const groups = await http.get("/apis");
    assert.equal(groups.at("kind"), "APIGroupList");
    const described = {
      name: discovery,
      versions: [{ groupVersion: `${discovery}/v1`, version: "v1" }],
      preferredVersion: { groupVersion: `${discovery}/v1`, version: "v1" },
    };
    const listed = groups.at("groups");
    assert.ok(Array.isArray(listed));
    const found = listed.findIndex((g) => isDeepStrictEqual(g, described));
    // Who asks for a resource by its name alone gets it from the first group that has it.
    assert.ok(found > listed.findIndex((g) => g.name === "apps"), `${discovery} comes after apps`);
    const group = await http.get(`/apis/${discovery}`);
    assert.deepEqual(group.json(), { kind: "APIGroup", apiVersion: "v1", ...described });
    for (const { apiVersion, kind, plural, namespaced } of samples(target.naming)) {
      const list = await http.get(apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`);
      assert.equal(list.at("kind"), "APIResourceList");
      assert.equal(list.at("groupVersion"), apiVersion);
      const resources = list.at("resources");
      assert.ok(Array.isArray(resources));
      const found: unknown = resources.find((r: { name?: string }) => r.name === plural);
      assert.ok(typeof found === "object" && found !== null && "verbs" in found && Array.isArray(found.verbs), plural);
      assert.deepEqual({ kind, namespaced, ...found }, found);
      for (const verb of ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]) {
        // A namespace cannot be deleted by the collection.
        if (kind === "Namespace" && verb === "deletecollection") continue;
        assert.ok(found.verbs.includes(verb), `${plural} ${verb}`);
      }
    }
  });

  test("every verb that discovery promises is served, and no other", async () => {
    const { http } = on();
    const namespaces = await http.delete("/api/v1/namespaces");
    assertFailure(namespaces, { code: 405, reason: "MethodNotAllowed" });
    for (const path of ["/apis/none.example", "/apis/none.example/v1", "/api/v2", "/apis/x/y/z/1/2/3/4"]) {
      assertFailure(await http.get(path), { code: 404, reason: "NotFound" });
    }
  });

  test("paths with a closing slash and HEAD are served, other paths are 404", async () => {
    const { http } = on();
    for (const path of ["/api/", "/apis/", "/api/v1/"]) assert.equal((await http.get(path)).status, 200, path);
    const head = await http.call({ method: "HEAD", path: "/api/v1/namespaces" });
    assert.equal(head.status, 200);
    assert.equal(head.bytes.length, 0);
    assert.equal((await http.get("/nowhere")).status, 404);
    const roots = (await http.get("/")).at("paths");
    assert.ok(Array.isArray(roots) && roots.includes("/api") && roots.includes("/readyz"));
  });

  test("/version tells the release", async () => {
    const { http } = on();
    const answer = await http.get("/version");
    assert.equal(answer.status, 200);
    assert.match(String(answer.at("major")), /^\d+$/);
    assert.match(String(answer.at("minor")), /^\d+$/);
    assert.match(String(answer.at("gitVersion")), /^v\d+\.\d+\.\d+/);
  });
}
