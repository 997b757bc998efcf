import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { type Reaction, startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const group = "conv.example.com";
const collection = (version: string): string => `/apis/${group}/${version}/namespaces/default/convs`;

interface Converted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Converted[];
  };
}

/** Of v1 `x` is what `y` is of v2; what was converted says so. */
function convert({ request: { uid, desiredAPIVersion, objects } }: Review): readonly Converted[] {
  assert.ok(uid !== "");
  return objects.map(({ x, y, ...object }) => {
    const value = x ?? y;
    const named = desiredAPIVersion.endsWith("/v2") ? { y: value } : { x: value };
    return { ...object, ...(value === undefined ? {} : named), apiVersion: desiredAPIVersion };
  });
}

function reviewed(review: Review, response: object): Reaction {
  return { json: { kind: review.kind, apiVersion: review.apiVersion, response } };
}

const well = ({ body }: { readonly body: Review }): Reaction =>
  reviewed(body, { uid: body.request.uid, result: { status: "Success" }, convertedObjects: convert(body) });

/** An answer whose only object is changed. */
const changed =
  (change: (object: Converted) => object) =>
  ({ body }: { readonly body: Review }): Reaction =>
    reviewed(body, {
      uid: body.request.uid,
      result: { status: "Success" },
      convertedObjects: convert(body).map(change),
    });

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const columns = [{ name: "Y", type: "integer", jsonPath: ".y" }];

function definition(clientConfig: object, storage: "v1" | "v2" = "v1"): object {
  return {
    metadata: { name: `convs.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "convs", kind: "Conv", singular: "conv", listKind: "ConvList" },
      versions: [
        { name: "v1", served: true, storage: storage === "v1", schema },
        { name: "v2", served: true, storage: storage === "v2", schema, additionalPrinterColumns: columns },
      ],
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  };
}

/** What a webhook says, and what the reader is told. */
const refusals: readonly (readonly [
  what: string,
  react: (asked: { readonly body: Review }) => Reaction,
  text: RegExp,
])[] = [
  [
    "500",
    () => ({ code: 500, text: "" }),
    /failed: an error on the server \("unknown"\) has prevented the request from succeeding$/,
  ],
  ["no JSON", () => ({ code: 200, text: '"x' }), /failed: couldn't get version\/kind; /],
  [
    "an empty object",
    () => ({ json: {} }),
    /failed: expected webhook response of [a-z0-9.]+\/v1, Kind=ConversionReview, got \/, Kind=$/,
  ],
  [
    "another uid",
    ({ body }) => reviewed(body, { uid: "other" }),
    /failed: expected response.uid="[0-9a-f-]{36}", got "other"$/,
  ],
  [
    "a failure with its reason",
    ({ body }) => reviewed(body, { uid: body.request.uid, result: { status: "Failure", message: "cannot convert" } }),
    /failed: cannot convert$/,
  ],
  [
    "a failure",
    ({ body }) => reviewed(body, { uid: body.request.uid, result: { status: "Failure" } }),
    /failed: response.result.status was 'Failure', not 'Success'$/,
  ],
  [
    "no response",
    ({ body }) => ({ json: { kind: body.kind, apiVersion: body.apiVersion } }),
    /failed: no response provided$/,
  ],
  [
    "too few objects",
    ({ body }) => reviewed(body, { uid: body.request.uid, result: { status: "Success" }, convertedObjects: [] }),
    /returned 0 objects, expected 1$/,
  ],
  [
    "an object that is what it was",
    changed((object) => ({ ...object, apiVersion: `${group}/v1` })),
    /returned invalid object at index 0: invalid groupVersion \(expected conv.example.com\/v2, received conv.example.com\/v1\)$/,
  ],
  [
    "another kind",
    changed((object) => ({ ...object, kind: "Z" })),
    /returned invalid object at index 0: invalid kind \(expected Conv, received Z\)$/,
  ],
  ["no kind", changed(() => ({ apiVersion: `${group}/v2` })), /^Object 'Kind' is missing in '/],
  [
    "another name",
    changed((object) => ({ ...object, metadata: { ...object.metadata, name: "zz" } })),
    /returned invalid object: must have the same name: a != zz$/,
  ],
  [
    "another namespace",
    changed((object) => ({ ...object, metadata: { ...object.metadata, namespace: "zz" } })),
    /returned invalid object: must have the same namespace: default != zz$/,
  ],
  [
    "no metadata",
    changed(({ metadata: _, ...object }) => object),
    /returned invalid object: must have the same name: a != $/,
  ],
  [
    "labels that are none",
    changed((object) => ({ ...object, metadata: { ...object.metadata, labels: { l: "a b" } } })),
    /returned invalid metadata: metadata.labels: Invalid value: "a b"/,
  ],
  [
    "a review of another version",
    ({ body }) => ({ json: { kind: body.kind, apiVersion: body.apiVersion.replace("/v1", "/v1beta1"), response: {} } }),
    /failed: expected webhook response of [a-z0-9.]+\/v1, Kind=ConversionReview, got /,
  ],
  ["an end of the connection", () => "close", /failed: Post "https:\/\/127.0.0.1:\d+\/conv\?timeout=30s": EOF$/],
  ["an endless answer", () => "flood", /failed: the answer is longer than \d+ bytes$/],
];

interface Place {
  readonly name: string;
  readonly skip: string | false;
  readonly start: () => Promise<Target>;
}

const places: readonly Place[] = [
  { name: "standalone", skip: false, start: () => startStandalone() },
  { name: "services of their own", skip: etcdMissing() ?? false, start: () => startDistributed() },
];

for (const place of places) {
  describe(`webhooks that convert: ${place.name}`, { skip: place.skip }, () => {
    let target: Target;
    let http: Http;
    let webhook: WebhookServer<Review>;
    before(async () => {
      target = await place.start();
      http = connect(target);
      webhook = await startWebhookServer<Review>(["127.0.0.1", "conv.default.svc"]);
      webhook.react(well);
      await define({ url: webhook.url("/conv"), caBundle: webhook.caBundle });
    });
    after(async () => {
      http.close();
      await target.stop();
      await webhook.close();
    });

    const definitions = (): string => `/apis/${target.naming.group("apiextensions")}/v1/customresourcedefinitions`;

    async function define(clientConfig: object): Promise<void> {
      const made = await http.post(definitions(), definition(clientConfig));
      assert.equal(made.status, 201, made.text);
      for (const version of ["v1", "v2"]) await everywhere(version);
    }

    async function everywhere(version: string): Promise<void> {
      for (const gateway of target.urls.keys()) {
        const one = connect(target, { gateway });
        await until(version, async () => (await one.get(collection(version))).status === 200 || undefined);
        one.close();
      }
    }

    /** Reads until a changed definition has come to whoever answers. */
    async function read(path: string, status: number): Promise<string> {
      let text = "";
      await until(`${status} for ${path}`, async () => {
        const answer = await http.get(path);
        text = answer.text;
        return answer.status === status || undefined;
      });
      return text;
    }

    test("an object is stored in one version and read in the other", async () => {
      const created = await http.post(collection("v1"), {
        apiVersion: `${group}/v1`,
        kind: "Conv",
        metadata: { name: "a", labels: { l: "1" } },
        x: 1,
      });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.at("x"), 1);
      webhook.asked.length = 0;
      const answer = await http.get(`${collection("v2")}/a`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.at("apiVersion"), `${group}/v2`);
      assert.equal(answer.at("y"), 1);
      assert.equal(answer.at("metadata.resourceVersion"), created.at("metadata.resourceVersion"));
      const [question] = webhook.asked;
      assert.equal(question?.path, "/conv?timeout=30s");
      assert.equal(question?.headers["user-agent"], target.naming.systemName("apiserver-admission"));
      assert.equal(question?.body.request.desiredAPIVersion, `${group}/v2`);
      assert.equal(question?.body.request.objects[0]?.metadata["resourceVersion"], undefined);
    });

    test("what was converted once is not converted again", async () => {
      const path = `${collection("v2")}/a`;
      for (let i = 0; i < 4; i++) await http.get(path);
      webhook.asked.length = 0;
      for (let i = 0; i < 4; i++) assert.equal((await http.get(path)).status, 200);
      assert.equal(webhook.asked.length, 0);
    });

    test("a list of many is one question, and its items say what they are", async () => {
      for (let i = 0; i < 20; i++) {
        const made = await http.post(collection("v1"), {
          apiVersion: `${group}/v1`,
          kind: "Conv",
          metadata: { name: `m${i}` },
          x: i,
        });
        assert.equal(made.status, 201, made.text);
      }
      webhook.asked.length = 0;
      const list = await http.get(collection("v2"));
      assert.equal(list.status, 200, list.text);
      assert.equal(list.at("apiVersion"), `${group}/v2`);
      for (const { apiVersion, kind } of Object(list.object()).items) {
        assert.deepEqual([apiVersion, kind], [`${group}/v2`, "Conv"]);
      }
      assert.ok(webhook.asked.length <= target.urls.length, `${webhook.asked.length} questions`);
    });

    test("writes in the other version are stored in the one, whichever way", async () => {
      const path = `${collection("v2")}/w`;
      const created = await http.post(collection("v2"), {
        apiVersion: `${group}/v2`,
        kind: "Conv",
        metadata: { name: "w" },
        y: 1,
      });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.at("apiVersion"), `${group}/v2`);
      const steps = [
        await http.patch(path, "merge", { y: 2 }),
        await http.patch(path, "json", [{ op: "replace", path: "/y", value: 3 }]),
        await http.put(path, { ...Object((await http.get(path)).object()), y: 4 }),
        await http.patch(
          path,
          "apply",
          { apiVersion: `${group}/v2`, kind: "Conv", metadata: { name: "w" }, y: 5 },
          { fieldManager: "two", force: "true" },
        ),
        await http.patch(
          `${collection("v1")}/w`,
          "apply",
          { apiVersion: `${group}/v1`, kind: "Conv", metadata: { name: "w" }, x: 6 },
          { fieldManager: "one", force: "true" },
        ),
      ];
      for (const [i, step] of steps.entries()) {
        assert.equal(step.status, 200, step.text);
        assert.equal(step.at("y") ?? step.at("x"), i + 2);
      }
      assert.equal((await http.get(`${collection("v1")}/w`)).at("x"), 6);
      const gone = await http.delete(path);
      assert.equal(gone.status, 200, gone.text);
    });

    test("a watch shows objects converted, in their order, from a list on", async () => {
      const watch = await http.watch(collection("v2"), {
        sendInitialEvents: "true",
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: "true",
      });
      const seen = new Map<string, unknown>();
      for (;;) {
        const event = await watch.next();
        assert.ok(event, "the watch ended");
        if (event.type === "BOOKMARK") break;
        assert.equal(event.type, "ADDED");
        const object: Converted = Object(event.object);
        assert.equal(object.apiVersion, `${group}/v2`);
        seen.set(object.metadata.name, object["y"]);
      }
      assert.equal(seen.get("m3"), 3);
      for (let i = 1; i <= 5; i++) {
        await http.patch(`${collection("v1")}/a`, "merge", { x: 100 + i });
      }
      await http.delete(`${collection("v1")}/m3`);
      for (let i = 1; i <= 5; i++) {
        const event = await watch.next();
        assert.equal(Object(event?.object)["y"], 100 + i);
      }
      const last = await watch.next();
      assert.equal(last?.type, "DELETED");
      assert.equal(Object(last?.object)["y"], 3);
      watch.close();
    });

    test("tables show the columns of their version", async () => {
      const answer = await http.call({
        method: "GET",
        path: `${collection("v2")}/a`,
        headers: { accept: `application/json;as=Table;v=v1;g=${target.naming.metaGroup}` },
      });
      assert.equal(answer.status, 200, answer.text);
      const { columnDefinitions, rows } = Object(answer.object());
      assert.equal(columnDefinitions[1].name, "Y");
      assert.equal(rows[0].cells[1], 105);
    });

    for (const [i, [what, react, text]] of refusals.entries()) {
      test(`a webhook that answers with ${what} is told of, and nothing else is`, async () => {
        // A state that nobody has read yet.
        await http.patch(`${collection("v1")}/a`, "merge", { x: i });
        webhook.react(react);
        try {
          const answer = await http.get(`${collection("v2")}/a`);
          assert.equal(answer.status, 500, answer.text);
          assert.match(String(answer.at("message")), text);
          assert.equal((await http.get(`${collection("v1")}/a`)).status, 200);
        } finally {
          webhook.react(well);
        }
      });
    }

    test("of a webhook's metadata labels and annotations are taken, and nothing else", async () => {
      await http.patch(`${collection("v1")}/a`, "merge", { x: 77 });
      webhook.react(
        changed((object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            labels: { new: "1" },
            annotations: { a: "b" },
            generation: 9,
            finalizers: ["x/y"],
          },
        })),
      );
      const answer = await http.get(`${collection("v2")}/a`);
      webhook.react(well);
      assert.deepEqual(answer.at("metadata.labels"), { new: "1" });
      assert.deepEqual(answer.at("metadata.annotations"), { a: "b" });
      assert.equal(answer.at("metadata.finalizers"), undefined);
      assert.notEqual(answer.at("metadata.generation"), 9);
    });

    test("a delete in the other version fails with the webhook, and the object stays", async () => {
      await http.patch(`${collection("v1")}/a`, "merge", { x: 78 });
      webhook.react(() => ({ code: 500, text: "" }));
      const answer = await http.delete(`${collection("v2")}/a`);
      webhook.react(well);
      assert.equal(answer.status, 500, answer.text);
      assert.equal((await http.get(`${collection("v1")}/a`)).status, 200);
    });

    test("a Service is reached where it is, under its own name", async () => {
      const change = (clientConfig: object) =>
        http.patch(`${definitions()}/convs.${group}`, "merge", { spec: { conversion: { webhook: { clientConfig } } } });
      const service = { namespace: "default", name: "conv", path: "/by-service", port: webhook.port };
      const moved = await change({ url: null, service, caBundle: webhook.caBundle });
      assert.equal(moved.status, 200, moved.text);
      await http.patch(`${collection("v1")}/a`, "merge", { x: 79 });
      const text = await read(`${collection("v2")}/a`, 500);
      assert.match(
        text,
        /Post \\"https:\/\/conv.default.svc:\d+\/by-service\?timeout=30s\\": service \\"conv\\" not found/,
      );
      // No endpoint may be of a machine itself, but a name may.
      const spec = { type: "ExternalName", externalName: "localhost" };
      const made = await http.post("/api/v1/namespaces/default/services", { metadata: { name: "conv" }, spec });
      assert.equal(made.status, 201, made.text);
      await read(`${collection("v2")}/a`, 200);
      assert.ok(webhook.asked.at(-1)?.path.startsWith("/by-service"));
    });

    test("what is stored in a version of before is converted when another one is stored", async () => {
      const moved = await http.patch(`${definitions()}/convs.${group}`, "merge", {
        spec: Object(definition({ url: webhook.url("/conv"), caBundle: webhook.caBundle, service: null }, "v2")).spec,
      });
      assert.equal(moved.status, 200, moved.text);
      await until("the object in v2", async () => {
        const answer = await http.get(`${collection("v2")}/m5`);
        return answer.at("y") === 5 || undefined;
      });
      const list = await http.get(collection("v2"));
      assert.equal(list.status, 200, list.text);
      for (const item of Object(list.object()).items) assert.equal(item.apiVersion, `${group}/v2`);
      const patched = await http.patch(`${collection("v2")}/m5`, "merge", { y: 6 });
      assert.equal(patched.at("y"), 6, patched.text);
      assert.equal((await http.get(`${collection("v1")}/m5`)).at("x"), 6);
    });
  });
}
