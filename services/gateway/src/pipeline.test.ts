import assert from "node:assert/strict";
import { test } from "node:test";
import { type CatalogOptions, loadCatalog } from "@orch/api/catalog.js";
import { groupMayAll } from "@orch/auth/fixed-authorizers.js";
import { createNegotiator, discoveryTransforms, objectOffers, objectTransforms } from "@orch/codec/negotiate.js";
import { createNaming } from "@orch/naming/naming.js";
import { createBodyReader } from "@orch/render/testing/read-body.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Chunk } from "@orch/rpc/messages.js";
import { resourceWrite, watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller, Sender } from "@orch/rpc/rpc.js";
import type { Call } from "./call.js";
import { createPacer } from "./flow/pacer.js";
import type { DeprecatedLabels, RequestLabels } from "./metrics.js";
import { createPipeline } from "./pipeline.js";
import { createResponder } from "./respond.js";
import { servedParts } from "./service.js";
import { type Answered, type FakeRequest, fakeExchange } from "./testing/fake-exchange.js";

const naming = createNaming("orch");
const protobuf = naming.protobufMediaType;

/** Meets an error that nothing expects on its way to a cache. */
function noCaches(): never {
  throw new TypeError("a fault");
}

/** A pipeline before services that answer a fixed body and note in which form they were asked for it. */
function gateway(options: CatalogOptions = {}, caches?: () => Caller) {
  const catalog = loadCatalog(naming, options);
  const forms: string[] = [];
  const deprecated: DeprecatedLabels[] = [];
  const observed: RequestLabels[] = [];
  const faults: Call[] = [];
  const { services, caller } = createInProcess();
  const body = Buffer.from('{"kind":"Fixed"}\n');
  services.unary(watchCacheGet, ({ form }) => {
    forms.push(form);
    return { body };
  });
  const stream = ({ form }: { readonly form: string }, sender: Sender<Chunk>): void => {
    forms.push(form);
    sender.send({ body });
    sender.end();
  };
  services.stream(watchCacheList, stream);
  services.stream(watchCacheWatch, stream);
  services.unary(resourceWrite, ({ form }) => {
    forms.push(form);
    return { code: 201, body, warnings: ["unknown field"] };
  });
  const offers = objectOffers(naming, { cbor: true });
  const serve = createPipeline({
    catalog,
    naming,
    negotiator: createNegotiator(offers, objectTransforms(naming)),
    discoveryNegotiator: createNegotiator(offers, discoveryTransforms(naming)),
    respond: createResponder((kind) => catalog.type(`meta/v1.${kind}`)),
    identity: {
      authenticator: {
        authenticate: () => ({ outcome: "allow", user: { name: "ann", uid: "", groups: ["all"], extra: {} } }),
      },
      naming,
      anonymous: () => undefined,
      failedLogins: { blocked: () => undefined, failed: () => {} },
      authorizer: groupMayAll("all"),
    },
    limiter: { enter: () => {} },
    pacer: createPacer(setImmediate),
    caches: caches ?? (() => caller),
    resources: () => caller,
    requestTimeoutMs: 1000,
    gzip: true,
    minRequestTimeoutMs: 1000,
    random: () => 0,
    openWatches: new Set(),
    delivered: () => {},
    served: servedParts({ podResize: false, storageVersionHash: true }),
    metrics: {
      observe: (_id, labels) => void observed.push(labels()),
      deprecated: (labels) => void deprecated.push(labels),
    },
    other: () => Promise.reject(new TypeError("not asked for here")),
    onFault: (call) => void faults.push(call),
    now: () => 0,
  });
  const ask = async (request: FakeRequest): Promise<Answered> => {
    const exchange = fakeExchange(request);
    serve(exchange);
    const answer = await exchange.answered;
    // A request is recorded after its answer.
    await new Promise((resolve) => setImmediate(resolve));
    return answer;
  };
  return { ask, forms, deprecated, observed, faults, reader: createBodyReader(catalog) };
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
    const { ask, forms } = gateway();
    const answer = await ask(request);
    assert.deepEqual([forms, answer.header("content-type")], [[form], [contentType]], JSON.stringify(request));
  }
});

test("what is not acceptable is said before anything is asked, as JSON where the client reads nothing of ours", async () => {
  const { ask, forms, reader } = gateway();
  const answer = await ask({ target: maps, headers: { accept: "image/png" } });
  assert.deepEqual([answer.code, answer.header("content-type")], [406, ["application/json"]]);
  assert.equal(reader.body("json", answer.body)["reason"], "NotAcceptable");
  assert.deepEqual(forms, []);
});

test("an error is told in the encoding that was asked for, of a watch too", async () => {
  const { ask, reader } = gateway();
  for (const target of ["/api/v1/chairs", "/apis/nothing/v1/chairs?watch=1"]) {
    const answer = await ask({ target, headers: { accept: protobuf } });
    assert.deepEqual([answer.code, answer.header("content-type")], [404, [protobuf]]);
    assert.equal(reader.body("protobuf", answer.body)["reason"], "NotFound");
  }
});

const cronJobs = "/apis/batch/v1beta1/namespaces/a/cronjobs";
const warning = '299 - "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob"';

// spec 1: Signals on deprecated endpoints.
test("a deprecated version warns in every answer and is told to the metrics", async () => {
  const { ask, deprecated, observed } = gateway({ release: "1.24" });
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
  const { ask, deprecated } = gateway({ release: "1.24" });
  assert.deepEqual((await ask({ target: "/apis/batch/v1/namespaces/a/cronjobs" })).header("warning"), []);
  const older = gateway({ release: "1.20" });
  assert.deepEqual((await older.ask({ target: cronJobs })).header("warning"), []);
  assert.deepEqual([...deprecated, ...older.deprecated], []);
});

test("a removed version is not there, and says nothing either", async () => {
  const { ask, deprecated } = gateway();
  const answer = await ask({ target: cronJobs });
  assert.deepEqual([answer.code, answer.header("warning"), deprecated], [404, [], []]);
});

test("the audit event of a request to a deprecated version will say so", async () => {
  const annotations = async (release: string, target: string): Promise<object> => {
    const { ask, faults } = gateway({ release }, noCaches);
    assert.equal((await ask({ target })).code, 500);
    return Object.fromEntries(faults[0]?.auditAnnotations ?? []);
  };
  const old = await annotations("1.24", `${cronJobs}/c`);
  assert.deepEqual(old, { "orch/deprecated": "true", "orch/removed-release": "1.25" });
  assert.deepEqual(await annotations("1.24", "/api/v1/componentstatuses/c"), { "orch/deprecated": "true" });
  assert.deepEqual(await annotations("1.24", "/apis/batch/v1/namespaces/a/cronjobs/c"), {});
});

test("discovery of groups is told in every encoding, in one document where that is asked for", async () => {
  const { ask, reader } = gateway();
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
