import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../harness/http.js";
import { freshMaps } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const json = { "content-type": "application/json" };

interface Case {
  readonly what: string;
  /** `{ns}` stands for the test's namespace. */
  readonly call: Call;
  readonly code: number;
  readonly reason: string;
  readonly message?: RegExp | string;
}

const maps = "/api/v1/namespaces/{ns}/configmaps";
const unknownPath = { code: 404, reason: "NotFound", message: "the server could not find the requested resource" };
const notAllowed = {
  code: 405,
  reason: "MethodNotAllowed",
  message: "the server does not allow this method on the requested resource",
};

const cases: readonly Case[] = [
  {
    what: "a missing object",
    call: { path: `${maps}/none` },
    code: 404,
    reason: "NotFound",
    message: 'configmaps "none" not found',
  },
  { what: "an unknown resource", call: { path: "/api/v1/namespaces/{ns}/gizmos" }, ...unknownPath },
  { what: "an unknown group", call: { path: "/apis/none.example/v1/gizmos" }, ...unknownPath },
  { what: "an unknown version", call: { path: "/api/v9/configmaps" }, ...unknownPath },
  { what: "an unknown subresource", call: { path: `${maps}/a/scale` }, ...unknownPath },
  { what: "a namespaced path of a cluster-wide kind", call: { path: "/api/v1/namespaces/{ns}/nodes" }, ...unknownPath },
  { what: "an object without its namespace", call: { path: "/api/v1/configmaps/a" }, ...unknownPath },
  { what: "POST to an object", call: { method: "POST", path: `${maps}/a`, body: {} }, ...notAllowed },
  { what: "PUT to a collection", call: { method: "PUT", path: maps, body: {} }, ...notAllowed },
  { what: "a create across namespaces", call: { method: "POST", path: "/api/v1/configmaps", body: {} }, ...notAllowed },
  { what: "a method that HTTP knows and the API does not", call: { method: "OPTIONS", path: maps }, ...notAllowed },
  { what: "DELETE of discovery", call: { method: "DELETE", path: "/api/v1" }, ...notAllowed },
  {
    what: "a body of an unknown type",
    call: { method: "POST", path: maps, headers: { "content-type": "text/plain" }, body: "{}" },
    code: 415,
    reason: "UnsupportedMediaType",
    message: /^the body of the request was in an unknown format - accepted media types include: application\/json/,
  },
  {
    what: "a replacement of nothing",
    call: { method: "PUT", path: `${maps}/none`, body: { metadata: { name: "none" } } },
    code: 404,
    reason: "NotFound",
    message: 'configmaps "none" not found',
  },
  {
    what: "a name that differs from the path's",
    call: { method: "PUT", path: `${maps}/a`, body: { metadata: { name: "b" } } },
    code: 400,
    reason: "BadRequest",
    message: "the name of the object (b) does not match the name on the URL (a)",
  },
  {
    what: "a namespace that differs from the path's",
    call: { method: "POST", path: maps, body: { metadata: { name: "b", namespace: "other" } } },
    code: 400,
    reason: "BadRequest",
    message: "the namespace of the provided object does not match the namespace sent on the request",
  },
  {
    what: "a resourceVersion on what is to be created",
    call: { method: "POST", path: maps, body: { metadata: { name: "b", resourceVersion: "5" } } },
    code: 400,
    reason: "BadRequest",
    message: "resourceVersion should not be set on objects to be created",
  },
  {
    what: "another kind's object",
    call: { method: "POST", path: maps, body: { kind: "Secret", apiVersion: "v1", metadata: { name: "b" } } },
    code: 400,
    reason: "BadRequest",
    message: /^Secret in version "v1" cannot be handled as a ConfigMap/,
  },
  {
    what: "an empty body",
    call: { method: "POST", path: maps, headers: json, body: "" },
    code: 400,
    reason: "BadRequest",
  },
  {
    what: "half of a body",
    call: { method: "POST", path: maps, headers: json, body: '{"metadata":' },
    code: 400,
    reason: "BadRequest",
  },
  {
    what: "a body that is no object",
    call: { method: "POST", path: maps, headers: json, body: "[]" },
    code: 400,
    reason: "BadRequest",
  },
  {
    what: "a field of the wrong type",
    call: { method: "POST", path: maps, body: { metadata: { name: "b" }, data: { k: 1 } } },
    code: 400,
    reason: "BadRequest",
    message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: /,
  },
  {
    what: "a limit that is no number",
    call: { path: maps, query: { limit: "many" } },
    code: 400,
    reason: "BadRequest",
  },
];

/** Status bodies of what cannot be done (rules: Errors). */
export function errorSuite(on: On): void {
  test("each thing that cannot be done gets its code, reason and message", async (t) => {
    const { http } = on();
    const { namespace, create } = await freshMaps(http);
    await create("a");
    for (const { what, call, ...expected } of cases) {
      await t.test(what, async () => {
        const path = call.path.replace("{ns}", namespace);
        assertFailure(await http.call({ ...call, path }), expected);
      });
    }
  });

  test("an object that is not valid gets 422 with a cause for each fault", async () => {
    const { http, target } = on();
    const { namespace } = await freshMaps(http);
    const path = `/apis/${target.naming.group("discovery")}/v1/namespaces/${namespace}/endpointslices`;
    const answer = await http.post(path, {
      metadata: { name: "A_b" },
      addressType: "IPv9",
      endpoints: [{ addresses: [] }],
      ports: [{ name: "x" }, { name: "x" }],
    });
    assertFailure(answer, {
      code: 422,
      reason: "Invalid",
      message: /^EndpointSlice\.discovery\S* "A_b" is invalid: \[/,
    });
    assert.equal(answer.at("details.name"), "A_b");
    assert.equal(answer.at("details.kind"), "EndpointSlice");
    assert.equal(answer.at("details.group"), target.naming.group("discovery"));
    const causes = [0, 1, 2, 3].map(
      (i) => `${answer.at(`details.causes.${i}.reason`)} ${answer.at(`details.causes.${i}.field`)}`,
    );
    assert.deepEqual(causes.sort(), [
      "FieldValueDuplicate ports[1].name",
      "FieldValueInvalid metadata.name",
      "FieldValueNotSupported addressType",
      "FieldValueRequired endpoints[0].addresses",
    ]);
  });

  test("what is immutable stays: a slice's address type, a secret's type", async () => {
    const { http, target } = on();
    const { namespace } = await freshMaps(http);
    const slices = `/apis/${target.naming.group("discovery")}/v1/namespaces/${namespace}/endpointslices`;
    const slice = (await http.post(slices, { metadata: { name: "s" }, addressType: "IPv4", endpoints: [] })).object();
    assertFailure(await http.put(`${slices}/s`, { ...slice, addressType: "IPv6" }), {
      code: 422,
      reason: "Invalid",
      message: /addressType.*field is immutable/,
    });
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const secret = (await http.post(secrets, { metadata: { name: "s" } })).object();
    assertFailure(await http.put(`${secrets}/s`, { ...secret, type: "example.com/other" }), {
      code: 422,
      reason: "Invalid",
      message: /type.*field is immutable/,
    });
  });

  test("a body over 3 MiB and an object over 1.5 MiB get 413", async () => {
    const { http } = on();
    const own = await freshMaps(http);
    const huge = { metadata: { name: "huge" }, data: { k: "x".repeat(3 * 1024 * 1024) } };
    assertFailure(await http.post(own.path(), huge), { code: 413, reason: "RequestEntityTooLarge" });
    // Inside of the bound of a request, over that of an object: annotations and data are bounded on their own.
    const large = { metadata: { name: "large" }, data: { k: "x".repeat(1024 * 1024 + 1) } };
    assertFailure(await http.post(own.path(), large), { code: 422, reason: "Invalid" });
    assert.equal((await http.get(own.path())).items().length, 0);
  });

  test("every answer carries an audit id of its own and forbids caching", async () => {
    const { http } = on();
    const own = await freshMaps(http);
    const answers = [
      await http.get(own.path()),
      await http.get(own.path("none")),
      await http.get("/version"),
      await http.get("/readyz"),
    ];
    for (const { headers } of answers) assert.equal(headers["cache-control"], "no-cache, private");
    assert.equal(new Set(answers.map((a) => a.headers["audit-id"])).size, answers.length);
  });
}
