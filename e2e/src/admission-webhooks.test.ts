import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { type Reaction, startWebhookServer, type WebhookServer } from "./harness/servers/webhook-server.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly [field: string]: unknown;
  };
}

type React = (asked: { readonly body: Review; readonly path: string }) => Reaction;

const maps = "/api/v1/namespaces/default/configmaps";

function answered({ kind, apiVersion, request: { uid } }: Review, response: object): Reaction {
  return { json: { kind, apiVersion, response: { uid, ...response } } };
}

const allow: React = ({ body }) => answered(body, { allowed: true });
const saying =
  (response: object): React =>
  ({ body }) =>
    answered(body, response);
const denied = (status: object = {}): React => saying({ allowed: false, status });
const patching = (operations: unknown): React => patchText(JSON.stringify(operations));
const patchText = (text: string): React =>
  saying({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(text).toString("base64") });

interface Row {
  readonly what: string;
  readonly react: React;
  readonly status: number;
  readonly message?: RegExp;
  readonly reason?: string;
  readonly warnings?: readonly string[];
}

const says = (why: string): RegExp => new RegExp(`^admission webhook "v.example.com" denied the request${why}$`);
const failed = (why: string): RegExp =>
  new RegExp(`^Internal error occurred: failed calling webhook "[vm].example.com": ${why}$`);

/** What a validating webhook answers, and what the writer is told. */
const validating: readonly Row[] = [
  { what: "allows", react: allow, status: 201 },
  { what: "denies", react: denied(), status: 400, message: says(" without explanation") },
  { what: "denies with a message", react: denied({ message: "no way" }), status: 400, message: says(": no way") },
  {
    what: "denies with a reason",
    react: denied({ reason: "Because" }),
    status: 400,
    message: says(": Because"),
    reason: "Because",
  },
  {
    what: "denies with a code",
    react: denied({ code: 418, message: "teapot" }),
    status: 418,
    message: says(": teapot"),
  },
  { what: "denies with a success", react: denied({ code: 200, message: "odd" }), status: 400, message: says(": odd") },
  {
    what: "denies with a redirection",
    react: denied({ code: 302, message: "odd" }),
    status: 400,
    message: says(": odd"),
  },
  {
    what: "denies with code and reason",
    react: denied({ code: 500, message: "m", reason: "InternalError" }),
    status: 500,
    message: says(": m"),
    reason: "InternalError",
  },
  {
    what: "allows with warnings",
    react: saying({ allowed: true, warnings: ["careful", 'with "quotes" and \\'] }),
    status: 201,
    warnings: ['299 - "careful"', '299 - "with \\"quotes\\" and \\\\"'],
  },
  {
    what: "denies with warnings",
    react: saying({ allowed: false, warnings: ["w1"], status: { message: "m" } }),
    status: 400,
    message: says(": m"),
    warnings: ['299 - "w1"'],
  },
  {
    what: "sends a patch",
    react: patching([]),
    status: 500,
    message: failed("received invalid webhook response: validating webhook may not return response.patch"),
  },
  {
    what: "answers about another question",
    react: ({ body }) => ({
      json: { kind: body.kind, apiVersion: body.apiVersion, response: { uid: "x", allowed: true } },
    }),
    status: 500,
    message: failed('received invalid webhook response: expected response.uid="[0-9a-f-]{36}", got "x"'),
  },
  {
    what: "answers nothing",
    react: ({ body }) => ({ json: { kind: body.kind, apiVersion: body.apiVersion } }),
    status: 500,
    message: failed("received invalid webhook response: webhook response was absent"),
  },
  {
    what: "answers no JSON",
    react: () => ({ code: 200, text: '"x' }),
    status: 500,
    message: failed("failed to call webhook: couldn't get version/kind; .*"),
  },
  {
    what: "answers with an empty body",
    react: () => ({ code: 200, text: "" }),
    status: 500,
    message: failed(
      "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
    ),
  },
  {
    what: "answers in no version",
    react: ({ body }) => ({ json: { response: { uid: body.request.uid, allowed: true } } }),
    status: 500,
    message: failed(
      "received invalid webhook response: expected webhook response of [a-z0-9.]+/v1, Kind=AdmissionReview, got /, Kind=",
    ),
  },
  {
    what: "allows with a text",
    react: saying({ allowed: "yes" }),
    status: 500,
    message: failed("failed to call webhook: response.allowed must be a boolean"),
  },
  {
    what: "answers 500",
    react: () => ({ code: 500, text: "" }),
    status: 500,
    message: failed(
      'failed to call webhook: an error on the server \\("unknown"\\) has prevented the request from succeeding',
    ),
  },
  {
    what: "answers 404",
    react: () => ({ code: 404, text: "" }),
    status: 500,
    message: failed("failed to call webhook: the server could not find the requested resource"),
  },
  {
    what: "answers 503 with a Status",
    react: () => ({ code: 503, text: JSON.stringify({ kind: "Status", apiVersion: "v1", message: "overloaded" }) }),
    status: 500,
    message: failed("failed to call webhook: overloaded"),
  },
  {
    what: "redirects",
    react: () => ({ code: 302, text: "", headers: { location: "/elsewhere" } }),
    status: 500,
    message: failed("failed to call webhook: the server could not find the requested resource"),
  },
  {
    what: "closes the connection",
    react: () => "close",
    status: 500,
    message: failed('failed to call webhook: Post "https://127.0.0.1:\\d+/ok\\?timeout=1s": EOF'),
  },
  {
    what: "hangs",
    react: () => "hang",
    status: 500,
    message: failed('failed to call webhook: Post "https://127.0.0.1:\\d+/ok\\?timeout=1s": context deadline exceeded'),
  },
  {
    what: "floods",
    react: () => "flood",
    status: 500,
    message: failed("failed to call webhook: (the answer is longer than \\d+ bytes|Post .*)"),
  },
];

interface Patched {
  readonly what: string;
  readonly react: React;
  readonly status: number;
  readonly message?: RegExp;
  readonly object?: Readonly<Record<string, unknown>>;
}

/** What a mutating webhook answers, and what comes of it. */
const mutating: readonly Patched[] = [
  {
    what: "patches",
    react: patching([
      { op: "add", path: "/metadata/labels", value: { l: "1" } },
      { op: "add", path: "/data/n", value: "7" },
    ]),
    status: 201,
    object: { "metadata.labels": { l: "1" }, data: { n: "7", a: "b" } },
  },
  { what: "patches nothing", react: patching([]), status: 201, object: { data: { a: "b" } } },
  {
    what: "sends a patch of no type",
    react: saying({ allowed: true, patch: Buffer.from("[]").toString("base64") }),
    status: 500,
    message: failed("received invalid webhook response: webhook returned response.patch but not response.patchType"),
  },
  {
    what: "sends a type and no patch",
    react: saying({ allowed: true, patchType: "JSONPatch" }),
    status: 500,
    message: failed("received invalid webhook response: webhook returned response.patchType but not response.patch"),
  },
  {
    what: "sends a patch that is no Base64",
    react: saying({ allowed: true, patchType: "JSONPatch", patch: "%%" }),
    status: 500,
    message: failed("failed to call webhook: illegal base64 data"),
  },
  {
    what: "sends a patch that is no JSON",
    react: patchText("zz"),
    status: 500,
    message: failed("the patch is no JSON"),
  },
  { what: "sends an object for a patch", react: patching({}), status: 500, message: /^Internal error occurred: / },
  {
    what: "removes what is not there",
    react: patching([{ op: "remove", path: "/spec/nope" }]),
    status: 500,
    message: /^Internal error occurred: /,
  },
  {
    what: "tests in vain",
    react: patching([{ op: "test", path: "/data/a", value: "x" }]),
    status: 500,
    message: /^Internal error occurred: /,
  },
  {
    what: "does what nobody knows",
    react: patching([{ op: "weird", path: "/a" }]),
    status: 500,
    message: /^Internal error occurred: /,
  },
  {
    what: "makes the object invalid",
    react: patching([{ op: "add", path: "/data/a b", value: "x" }]),
    status: 422,
    message: /^ConfigMap "a" is invalid: data\[a b\]: /,
  },
  {
    what: "adds what nobody knows",
    react: patching([{ op: "add", path: "/junk", value: 1 }]),
    status: 201,
    object: { junk: undefined },
  },
  {
    what: "changes the name",
    react: patching([{ op: "replace", path: "/metadata/name", value: "zz" }]),
    status: 201,
    object: { "metadata.name": "zz" },
  },
  {
    what: "changes the namespace",
    react: patching([{ op: "replace", path: "/metadata/namespace", value: "zz" }]),
    status: 400,
    message: /^the namespace of the provided object does not match the namespace sent on the request$/,
  },
  {
    what: "changes the kind",
    react: patching([{ op: "replace", path: "/kind", value: "zz" }]),
    status: 422,
    message: /^zz "a" is invalid: kind: Invalid value: "zz": must be ConfigMap$/,
  },
  {
    what: "changes the version",
    react: patching([{ op: "replace", path: "/apiVersion", value: "zz/v1" }]),
    status: 201,
    object: { apiVersion: "v1" },
  },
  {
    what: "makes a list of it",
    react: patching([{ op: "replace", path: "", value: [] }]),
    status: 500,
    message: /^Internal error occurred: couldn't get version\/kind; /,
  },
  {
    what: "denies with a patch",
    react: saying({
      allowed: false,
      patchType: "JSONPatch",
      patch: Buffer.from("[]").toString("base64"),
      status: { message: "no" },
    }),
    status: 400,
    message: /^admission webhook "m.example.com" denied the request: no$/,
  },
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

const everything = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

for (const place of places) {
  describe(`admission webhooks: ${place.name}`, { skip: place.skip }, () => {
    let target: Target;
    let http: Http;
    let webhook: WebhookServer<Review>;
    let named = 0;
    before(async () => {
      target = await place.start();
      http = connect(target);
      webhook = await startWebhookServer<Review>();
      webhook.react(allow);
    });
    after(async () => {
      http.close();
      await target.stop();
      await webhook.close();
    });

    const configurations = (kind: "mutating" | "validating"): string =>
      `/apis/${target.naming.group("admissionregistration")}/v1/${kind}webhookconfigurations`;

    interface Hook {
      readonly name?: string;
      readonly path?: string;
      readonly [field: string]: unknown;
    }

    /** A configuration in force on every resource service; how to take it away again. */
    async function configured(kind: "mutating" | "validating", hooks: readonly Hook[]): Promise<() => Promise<void>> {
      const name = `c${++named}`;
      const webhooks = hooks.map(({ path = "/ok", ...fields }) => ({
        name: `${kind[0]}.example.com`,
        clientConfig: { url: webhook.url(path), caBundle: webhook.caBundle },
        rules: [everything],
        // Elsewhere the system writes for itself.
        namespaceSelector: { matchLabels: { [target.naming.key("metadata.name")]: "default" } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        timeoutSeconds: 1,
        ...fields,
      }));
      // One that is asked about nothing but what tells that the configuration is in force.
      const probe = {
        name: "probe.example.com",
        clientConfig: { url: webhook.url("/probe"), caBundle: webhook.caBundle },
        rules: [everything],
        objectSelector: { matchLabels: { probe: name } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
      };
      const inForce = async (): Promise<boolean> => {
        webhook.react(allow);
        webhook.asked.length = 0;
        await http.post(maps, { metadata: { name: "probe", labels: { probe: name } } }, dry);
        return webhook.asked.some(({ path }) => path.startsWith("/probe"));
      };
      const made = await http.post(configurations(kind), { metadata: { name }, webhooks: [...webhooks, probe] });
      assert.equal(made.status, 201, made.text);
      await until("the configuration", async () => (await inForce()) || undefined);
      webhook.asked.length = 0;
      return async () => {
        const gone = await http.delete(`${configurations(kind)}/${name}`);
        assert.equal(gone.status, 200, gone.text);
        await until("no configuration", async () => !(await inForce()) || undefined);
        webhook.asked.length = 0;
      };
    }

    const dry = { dryRun: "All" };
    const map = (more: object = {}) => ({ metadata: { name: "a" }, data: { a: "b" }, ...more });

    test("a webhook is asked about writes as the reference asks", async () => {
      const remove = await configured("validating", [{}]);
      const created = await http.post(maps, map(), { fieldManager: "fm" });
      assert.equal(created.status, 201, created.text);
      const [first] = webhook.asked;
      assert.equal(first?.path, "/ok?timeout=1s");
      assert.equal(first?.headers["content-type"], "application/json");
      const { request, ...review } = first?.body ?? assert.fail("nothing was asked");
      assert.deepEqual(review, { kind: "AdmissionReview", apiVersion: `${target.naming.group("admission")}/v1` });
      const { uid, object, ...rest } = request;
      assert.match(uid, /^[0-9a-f-]{36}$/);
      assert.equal(Object(object).metadata.uid, created.at("metadata.uid"));
      assert.deepEqual(rest, {
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        name: "a",
        namespace: "default",
        operation: "CREATE",
        userInfo: rest["userInfo"],
        oldObject: null,
        dryRun: false,
        options: { kind: "CreateOptions", apiVersion: `${target.naming.metaGroup}/v1`, fieldManager: "fm" },
      });
      webhook.asked.length = 0;
      await http.patch(`${maps}/a`, "merge", { data: { a: "c" } }, { fieldManager: "fm", fieldValidation: "Strict" });
      await http.patch(`${maps}/a`, "merge", { data: { a: "c" } });
      await http.delete(`${maps}/a`, {}, { propagationPolicy: "Background" });
      const asked = webhook.asked.map(({ body }) => [body.request.operation, Object(body.request["options"]).kind]);
      assert.deepEqual(asked, [
        ["UPDATE", "UpdateOptions"],
        ["UPDATE", "UpdateOptions"],
        ["DELETE", "DeleteOptions"],
      ]);
      const last = webhook.asked.at(-1)?.body.request;
      assert.equal(last?.["object"], null);
      assert.equal(Object(last?.["oldObject"]).data.a, "c");
      assert.equal(Object(last?.["options"]).propagationPolicy, "Background");
      await remove();
      await http.post(maps, map(), dry);
      assert.equal(webhook.asked.length, 0);
    });

    for (const { what, react, status, message, reason, warnings } of validating) {
      test(`a validating webhook ${what}`, async () => {
        const remove = await configured("validating", [{}]);
        webhook.react(react);
        const answer = await http.post(maps, map(), dry);
        await remove();
        assert.equal(answer.status, status, answer.text);
        if (message !== undefined) assert.match(String(answer.at("message")), message);
        if (reason !== undefined) assert.equal(answer.at("reason"), reason);
        if (warnings !== undefined) assert.deepEqual(answer.headers["warning"], warnings.join(", "));
      });
    }

    for (const { what, react, status, message, object = {} } of mutating) {
      test(`a mutating webhook ${what}`, async () => {
        const remove = await configured("mutating", [{}]);
        webhook.react(react);
        const answer = await http.post(maps, map(), dry);
        await remove();
        assert.equal(answer.status, status, answer.text);
        if (message !== undefined) assert.match(String(answer.at("message")), message);
        for (const [path, value] of Object.entries(object)) assert.deepEqual(answer.at(path), value);
      });
    }

    test("a webhook that fails is passed over where its configuration says so, and one that denies is not", async () => {
      const remove = await configured("validating", [{ failurePolicy: "Ignore" }]);
      const outcomes: number[] = [];
      const reactions: readonly React[] = [() => "hang", () => ({ code: 500, text: "" }), denied()];
      for (const react of reactions) {
        webhook.react(react);
        outcomes.push((await http.post(maps, map(), dry)).status);
      }
      await remove();
      assert.deepEqual(outcomes, [201, 201, 400]);
    });

    test("reviews and evictions are asked about as what they are", async () => {
      const reviews = `/apis/${target.naming.group("authorization")}/v1/selfsubjectaccessreviews`;
      const review = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
      const rules = [{ ...everything, apiGroups: ["*"], resources: ["selfsubjectaccessreviews", "pods/eviction"] }];
      const remove = await configured("validating", [{ rules, namespaceSelector: {} }]);
      webhook.react(denied({ message: "no" }));
      const told = await until("the review is asked about", async () => {
        const answer = await http.post(reviews, review);
        return answer.status === 400 ? answer : undefined;
      });
      assert.match(String(told.at("message")), says(": no"));
      const eviction = { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "none" } };
      const evicted = await http.post("/api/v1/namespaces/default/pods/none/eviction", eviction);
      assert.match(String(evicted.at("message")), says(": no"));
      const asked = webhook.asked.map(({ body: { request } }) => [request.operation, Object(request["kind"]).kind]);
      assert.deepEqual(asked, [
        ["CREATE", "SelfSubjectAccessReview"],
        ["CREATE", "Eviction"],
      ]);
      await remove();
    });

    test("a webhook is waited for no longer than the writer waits", async () => {
      const remove = await configured("validating", [{ timeoutSeconds: 10 }]);
      webhook.react(() => "hang");
      const answer = await http.post(maps, map(), { ...dry, timeout: "1s" });
      assert.deepEqual(
        [answer.status, answer.at("message"), webhook.asked.map(({ path }) => path)],
        [504, "Timeout: request did not complete within the allotted timeout", ["/ok?timeout=1s"]],
      );
      await remove();
    });

    test("an explanation names the webhook that changed something, in whichever process it was asked", async () => {
      const remove = await configured("mutating", [{ name: "m.example.com" }]);
      webhook.react(patching([{ op: "add", path: "/data", value: { by: "webhook" } }]));
      const answer = await http.post(maps, map(), { ...dry, explain: true });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.at("kind"), "WriteExplanation");
      const told = answer.text.match(
        /"type":"webhook","name":"m.example.com","configuration":"c\d+","outcome":"changed"/,
      );
      assert.ok(told !== null, answer.text);
      await remove();
    });

    test("webhooks of side effects are not asked about a dry run", async () => {
      const remove = await configured("validating", [{ name: "v.example.com", sideEffects: "NoneOnDryRun" }]);
      assert.equal((await http.post(maps, map(), dry)).status, 201);
      await remove();
    });

    test("selectors and conditions choose what a webhook is asked about", async () => {
      webhook.react(denied());
      const chosen = { objectSelector: { matchLabels: { chosen: "yes" } } };
      const rows: readonly (readonly [hook: object, status: number, more: object])[] = [
        [chosen, 201, {}],
        [chosen, 400, { metadata: { name: "a", labels: { chosen: "yes" } } }],
        [{ namespaceSelector: { matchLabels: { [target.naming.key("metadata.name")]: "default" } } }, 400, {}],
        [{ namespaceSelector: { matchLabels: { [target.naming.key("metadata.name")]: "other" } } }, 201, {}],
        [{ matchConditions: [{ name: "c", expression: "object.data.a == 'b'" }] }, 400, {}],
        [{ matchConditions: [{ name: "c", expression: "object.data.a == 'x'" }] }, 201, {}],
        [{ matchConditions: [{ name: "c", expression: "request.userInfo.username == 'nobody'" }] }, 201, {}],
        [
          {
            matchConditions: [
              { name: "c", expression: "authorizer.group('').resource('pods').check('get').allowed()" },
            ],
          },
          400,
          {},
        ],
        [{ matchConditions: [{ name: "c", expression: "object.nope.x == 1" }] }, 403, {}],
        [{ matchConditions: [{ name: "c", expression: "object.nope.x == 1" }], failurePolicy: "Ignore" }, 201, {}],
        [{ rules: [{ ...everything, operations: ["UPDATE"] }] }, 201, {}],
        [{ rules: [{ ...everything, resources: ["*"] }] }, 400, {}],
        [{ rules: [{ ...everything, resources: ["configmaps/status"] }] }, 201, {}],
        [{ rules: [{ ...everything, scope: "Cluster" }] }, 201, {}],
      ];
      for (const [hook, status, more] of rows) {
        const remove = await configured("validating", [{ ...hook }]);
        webhook.react(denied());
        const answer = await http.post(maps, map(more), dry);
        await remove();
        assert.equal(answer.status, status, `${JSON.stringify(hook)}: ${answer.text}`);
      }
    });

    test("equivalent versions are asked about in the version that a rule names", async () => {
      const rule = {
        ...everything,
        apiGroups: ["autoscaling"],
        apiVersions: ["v1"],
        resources: ["horizontalpodautoscalers"],
      };
      const scaler = {
        metadata: { name: "a" },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" }, metrics: [] },
      };
      const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
      for (const [matchPolicy, asked] of [
        ["Equivalent", 1],
        ["Exact", 0],
      ] as const) {
        const remove = await configured("mutating", [{ matchPolicy, rules: [rule] }]);
        webhook.react(patching([{ op: "replace", path: "/spec/maxReplicas", value: 5 }]));
        const answer = await http.post(path, scaler, dry);
        const questions = webhook.asked.length;
        const request = webhook.asked[0]?.body.request;
        await remove();
        assert.equal(answer.status, 201, answer.text);
        assert.equal(questions, asked);
        assert.equal(answer.at("spec.maxReplicas"), asked === 1 ? 5 : 3);
        assert.equal(answer.at("apiVersion"), "autoscaling/v2");
        if (asked === 0) continue;
        assert.equal(Object(request?.["object"]).apiVersion, "autoscaling/v1");
        assert.equal(Object(request?.["kind"]).version, "v1");
        assert.equal(Object(request?.["requestKind"]).version, "v2");
      }
    });

    test("webhooks see what those before have made, and are asked again where they want it", async () => {
      const remove = await configured("mutating", [
        { name: "m1.example.com", path: "/one", reinvocationPolicy: "IfNeeded" },
        { name: "m2.example.com", path: "/two" },
      ]);
      webhook.react(({ body, path }) => {
        const { data } = Object(body.request["object"]);
        const key = path.startsWith("/one") ? "one" : "two";
        const count = Number(data[key] ?? 0) + 1;
        return patching([{ op: "add", path: `/data/${key}`, value: String(count) }])({ body, path });
      });
      const answer = await http.post(maps, map(), dry);
      const paths = webhook.asked.map(({ path }) => path.split("?")[0]);
      await remove();
      assert.deepEqual(paths, ["/one", "/two", "/one"]);
      assert.deepEqual(answer.at("data"), { a: "b", one: "2", two: "1" });
    });

    test("what webhooks change belongs to nobody, and owners that they break are put right", async () => {
      const remove = await configured("mutating", [{}]);
      webhook.react(
        patching([
          { op: "add", path: "/data/w", value: "1" },
          { op: "replace", path: "/metadata/managedFields/0/fieldsV1", value: { "x:bad": {} } },
        ]),
      );
      const answer = await http.post(maps, map(), { ...dry, fieldManager: "me" });
      await remove();
      assert.equal(answer.status, 201, answer.text);
      const [entry] = Object(answer.object()).metadata.managedFields;
      assert.equal(entry.manager, "me");
      assert.deepEqual(Object.keys(entry.fieldsV1["f:data"]).sort(), [".", "f:a"]);
      assert.match(String(answer.headers["warning"]), /managedFields was in an invalid state after admission/);
    });

    test("configurations of webhooks are nobody's to refuse", async () => {
      const all = { ...everything, apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
      const remove = await configured("validating", [{ rules: [all], namespaceSelector: {} }]);
      webhook.react(denied());
      const refused = await http.post("/api/v1/namespaces", { metadata: { name: "other" } }, dry);
      assert.equal(refused.status, 400, refused.text);
      await remove();
    });

    test("a webhook that hangs keeps nobody else waiting", async () => {
      const remove = await configured("validating", [
        { objectSelector: { matchLabels: { slow: "yes" } }, timeoutSeconds: 30 },
      ]);
      // It says nothing until the others have been served, however long these take.
      let release = (): void => undefined;
      const after = new Promise<void>((resolve) => {
        release = resolve;
      });
      const refusal = denied({ message: "at last" });
      webhook.react((asked) => {
        const said = refusal(asked);
        return typeof said === "object" && "json" in said ? { ...said, after } : said;
      });
      const slow = http.post(maps, map({ metadata: { name: "s", labels: { slow: "yes" } } }), dry);
      let isOver = false;
      void slow.then(() => {
        isOver = true;
      });
      for (let i = 0; i < 20; i++) assert.equal((await http.post(maps, map(), dry)).status, 201);
      assert.equal(isOver, false);
      release();
      assert.match((await slow).text, /at last/);
      await remove();
    });

    test("a large object is asked about like a small one", async () => {
      const remove = await configured("validating", [{}]);
      webhook.react(denied({ message: "large" }));
      const answer = await http.post(maps, map({ data: { a: "x".repeat(300_000) } }), dry);
      await remove();
      assert.equal(answer.status, 400, answer.text.slice(0, 300));
      await until("no webhook", async () => (await http.post(maps, map(), dry)).status === 201 || undefined);
    });
  });
}
