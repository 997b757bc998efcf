import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { subjectOf } from "./call.js";
import type { FakeRequest } from "./testing/fake-exchange.js";
import { testGateway } from "./testing/gateway.js";

const naming = createNaming("orch");
const protobuf = naming.protobufMediaType;

/** Meets an error that nothing expects on its way to a cache. */
function noCaches(): never {
  throw new TypeError("a fault");
}

const maps = "/api/v1/namespaces/a/configmaps";
const partialList = "as=PartialObjectMetadataList;g=meta.orch;v=v1";

test("the services are asked for the form that was negotiated, and the answer says what it is", async () => {
  const rows: readonly (readonly [request: FakeRequest, form: string, contentType: string])[] = [
    [{ target: `${maps}/m` }, "", "application/json"],
    [{ target: `${maps}/m`, headers: { accept: protobuf } }, "protobuf", protobuf],
    [{ target: maps, headers: { accept: protobuf } }, "protobuf", protobuf],
    [{ target: maps, headers: { accept: "application/yaml" } }, "", "application/yaml"],
    [
      { target: maps, headers: { accept: `${protobuf};${partialList}` } },
      "protobuf;PartialObjectMetadata;v1",
      protobuf,
    ],
    [{ target: `${maps}?watch=1`, headers: { accept: protobuf } }, "protobuf", `${protobuf};stream=watch`],
    [{ target: `${maps}?watch=1`, headers: { accept: "application/cbor" } }, "cbor", "application/cbor-seq"],
    [{ target: maps, method: "POST", body: "{}", headers: { accept: "application/cbor" } }, "cbor", "application/cbor"],
    [
      { target: maps, method: "DELETE", headers: { accept: `application/json;${partialList}` } },
      "json;PartialObjectMetadata;v1",
      "application/json",
    ],
  ];
  for (const [request, form, contentType] of rows) {
    const { ask, forms } = testGateway();
    const answer = await ask(request);
    assert.deepEqual([forms, answer.header("content-type")], [[form], [contentType]], JSON.stringify(request));
  }
});

test("what is not acceptable is said before anything is asked, as JSON where the client reads nothing of ours", async () => {
  const { ask, forms, reader } = testGateway();
  const answer = await ask({ target: maps, headers: { accept: "image/png" } });
  assert.deepEqual([answer.code, answer.header("content-type")], [406, ["application/json"]]);
  assert.equal(reader.body("json", answer.body)["reason"], "NotAcceptable");
  assert.deepEqual(forms, []);
});

test("an error is told in the encoding that was asked for, of a watch too", async () => {
  const { ask, reader } = testGateway();
  for (const target of ["/api/v1/chairs", "/apis/nothing/v1/chairs?watch=1"]) {
    const answer = await ask({ target, headers: { accept: protobuf } });
    assert.deepEqual([answer.code, answer.header("content-type")], [404, [protobuf]]);
    assert.equal(reader.body("protobuf", answer.body)["reason"], "NotFound");
  }
});

const cronJobs = "/apis/batch/v1beta1/namespaces/a/cronjobs";
const warning = '299 - "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob"';

// rules: Signals on deprecated endpoints.
test("a deprecated version warns in every answer and is told to the metrics", async () => {
  const { ask, deprecated, observed } = testGateway({ release: "1.24" });
  const requests: readonly (readonly [FakeRequest, warnings: readonly string[], subresource: string])[] = [
    [{ target: `${cronJobs}/c` }, [warning], ""],
    [{ target: cronJobs }, [warning], ""],
    [{ target: `${cronJobs}?watch=1` }, [warning], ""],
    [{ target: cronJobs, headers: { accept: "application/yaml" } }, [warning], ""],
    [{ target: cronJobs, method: "POST", body: "{}" }, [warning, '299 - "unknown field"'], ""],
    [{ target: `${cronJobs}/c/status` }, [warning], "status"],
    // Refusals too.
    [{ target: `${cronJobs}/c`, method: "POST" }, [warning], ""],
    [{ target: `${cronJobs}/c/nothing` }, [warning], ""],
  ];
  for (const [request, warnings] of requests) {
    const answer = await ask(request);
    assert.deepEqual(answer.header("warning"), warnings, JSON.stringify(request));
  }
  const of = { group: "batch", version: "v1beta1", resource: "cronjobs", removed_release: "1.25" };
  assert.deepEqual(
    deprecated,
    requests.map(([, , subresource]) => ({ ...of, subresource })),
  );
  const joined = observed.map(({ group, version, resource, subresource }) => ({
    group,
    version,
    resource,
    subresource,
  }));
  assert.deepEqual(
    joined,
    deprecated.map(({ removed_release: _release, ...labels }) => labels),
  );
});

test("a version that is not deprecated yet, or another of the kind, says nothing", async () => {
  const { ask, deprecated } = testGateway({ release: "1.24" });
  assert.deepEqual((await ask({ target: "/apis/batch/v1/namespaces/a/cronjobs" })).header("warning"), []);
  const older = testGateway({ release: "1.20" });
  assert.deepEqual((await older.ask({ target: cronJobs })).header("warning"), []);
  assert.deepEqual([...deprecated, ...older.deprecated], []);
});

test("a removed version is not there, and says nothing either", async () => {
  const { ask, deprecated } = testGateway();
  const answer = await ask({ target: cronJobs });
  assert.deepEqual([answer.code, answer.header("warning"), deprecated], [404, [], []]);
});

test("the audit event of a request to a deprecated version will say so", async () => {
  const annotations = async (release: string, target: string): Promise<object> => {
    const { ask, faults } = testGateway({ release, caches: noCaches });
    assert.equal((await ask({ target })).code, 500);
    const [fault] = faults;
    assert.ok(fault !== undefined);
    return Object.fromEntries(subjectOf(fault.call)?.auditAnnotations ?? []);
  };
  const old = await annotations("1.24", `${cronJobs}/c`);
  assert.deepEqual(old, { "orch/deprecated": "true", "orch/removed-release": "1.25" });
  assert.deepEqual(await annotations("1.24", "/api/v1/componentstatuses/c"), { "orch/deprecated": "true" });
  assert.deepEqual(await annotations("1.24", "/apis/batch/v1/namespaces/a/cronjobs/c"), {});
});

test("discovery of groups is told in every encoding, in one document where that is asked for", async () => {
  const { ask, reader } = testGateway();
  for (const accept of ["application/json", protobuf, "application/cbor"] as const) {
    const answer = await ask({ target: "/apis", headers: { accept } });
    const encoding = accept === protobuf ? "protobuf" : accept === "application/cbor" ? "cbor" : "json";
    assert.equal(reader.body(encoding, answer.body)["kind"], "APIGroupList", accept);
    assert.deepEqual(answer.header("vary"), ["Accept"]);
  }
  const group = naming.group("apidiscovery");
  const accept = `application/json;g=${group};v=v2;as=APIGroupDiscoveryList, application/json`;
  const whole = await ask({ target: "/apis", headers: { accept } });
  assert.deepEqual(whole.header("content-type"), [`application/json;g=${group};v=v2;as=APIGroupDiscoveryList`]);
  const [etag = ""] = whole.header("etag");
  const again = await ask({ target: "/apis", headers: { accept, "if-none-match": etag } });
  assert.deepEqual([again.code, again.body.length], [304, 0]);
});
