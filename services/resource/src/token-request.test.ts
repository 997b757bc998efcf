import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { ObjectSource } from "@orch/auth/object-source.js";
import { serviceAccountAuthenticator } from "@orch/auth/service-account/authenticator.js";
import type { Dialect } from "@orch/naming/naming.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { key } from "@orch/store/revision.js";
import { type Bed, catalogOf, openBed, type Subject } from "./testing/bed.js";
import type { TokenSettings } from "./token-request.js";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const tokens: TokenSettings = {
  issuer: "https://cluster.example",
  signingKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  apiAudiences: ["api", "other"],
  maxSeconds: 0,
  extend: true,
};
const noon = Date.parse("2025-01-01T12:00:00.900Z");
const seconds = Math.floor(noon / 1000);

interface Asking extends Subject {
  readonly bed: Bed;
  /** Of the objects that are there: `pod`. */
  readonly uids: Readonly<Record<string, string>>;
  ask(body: object, request?: Partial<WriteRequest>): Promise<WriteReply>;
}

async function start(
  t: TestContext,
  given: { settings?: Partial<TokenSettings> | "none"; dialect?: Dialect } = {},
): Promise<Asking> {
  const { settings = {}, dialect = "kubernetes" } = given;
  const bed = await openBed(t, dialect);
  const subject = await bed.start({
    tokens: settings === "none" ? undefined : { ...tokens, ...settings },
    now: () => noon,
  });
  const { write, read } = subject;
  const uids: Record<string, string> = {};
  const make = async (resource: string, name: string, more: object = {}): Promise<void> => {
    const place = resource === "nodes" ? { namespace: "" } : {};
    const made = read(await write({ resource, ...place }, { metadata: { name }, ...more }));
    uids[name] = made.metadata["uid"] ?? "";
  };
  const pod = (serviceAccountName: string, nodeName?: string) => ({
    spec: {
      serviceAccountName,
      containers: [{ name: "c", image: "i" }],
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  });
  await make("serviceaccounts", "app");
  await make("nodes", "node");
  await make("secrets", "held");
  await make("configmaps", "map");
  await make("pods", "pod", pod("app"));
  await make("pods", "placed", pod("app", "node"));
  await make("pods", "lost", pod("app", "gone"));
  await make("pods", "stranger", pod("default"));
  const ask: Asking["ask"] = (body, request) =>
    write({ resource: "serviceaccounts", name: "app", subresource: "token", ...request }, body);
  return { ...subject, bed, ask, uids };
}

interface Answer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds: number;
    readonly boundObjectRef?: object;
  };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

const answerOf = ({ body }: WriteReply): Answer => JSON.parse(body.toString());
const claimsOf = ({ status }: Answer): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(status.token.split(".")[1] ?? "", "base64url").toString());

for (const [dialect, group, domain] of [
  ["orch", "authentication.orch", "orch"],
  ["kubernetes", "authentication.k8s.io", "kubernetes.io"],
] as const) {
  test(`a token for an hour and the API, in ${dialect}`, async (t) => {
    const { ask, uids } = await start(t, { dialect });
    const reply = await ask({});
    assert.equal(reply.code, 201);
    const answer = answerOf(reply);
    assert.deepEqual(answer, {
      kind: "TokenRequest",
      apiVersion: `${group}/v1`,
      metadata: { name: "app", namespace: "default", creationTimestamp: "2025-01-01T12:00:00Z" },
      spec: { audiences: ["api", "other"], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: answer.status.token, expirationTimestamp: "2025-01-01T13:00:00Z" },
    });
    const claims = claimsOf(answer);
    const { jti } = claims;
    assert.match(String(jti), /^uid-\d+$/);
    assert.deepEqual(claims, {
      aud: ["api", "other"],
      exp: seconds + 3600,
      iat: seconds,
      iss: "https://cluster.example",
      jti,
      [domain]: { namespace: "default", serviceaccount: { name: "app", uid: uids["app"] } },
      nbf: seconds,
      sub: "system:serviceaccount:default:app",
    });
  });
}

const bound: readonly (readonly [string, object, (uids: Readonly<Record<string, string>>) => object])[] = [
  ["Pod", { name: "pod" }, (u) => ({ pod: { name: "pod", uid: u["pod"] } })],
  ["Pod", { name: "pod", apiVersion: "v1" }, (u) => ({ pod: { name: "pod", uid: u["pod"] } })],
  [
    "Pod",
    { name: "placed" },
    (u) => ({ node: { name: "node", uid: u["node"] }, pod: { name: "placed", uid: u["placed"] } }),
  ],
  ["Pod", { name: "lost" }, (u) => ({ node: { name: "gone" }, pod: { name: "lost", uid: u["lost"] } })],
  ["Secret", { name: "held", apiVersion: "v1" }, (u) => ({ secret: { name: "held", uid: u["held"] } })],
  ["Node", { name: "node", apiVersion: "v1" }, (u) => ({ node: { name: "node", uid: u["node"] } })],
];

test("a token is bound to a pod, with its node, a secret or a node", async (t) => {
  const { ask, uids } = await start(t);
  for (const [kind, ref, wanted] of bound) {
    const answer = answerOf(await ask({ spec: { boundObjectRef: { kind, ...ref } } }));
    assert.deepEqual(claimsOf(answer)["kubernetes.io"], {
      namespace: "default",
      serviceaccount: { name: "app", uid: uids["app"] },
      ...wanted(uids),
    });
  }
  const uid = uids["pod"];
  assert.equal((await ask({ spec: { boundObjectRef: { kind: "Pod", name: "pod", uid } } })).code, 201);
});

const ref = (kind: string, name: string, more: object = {}) => ({ spec: { boundObjectRef: { kind, name, ...more } } });
const refusals: readonly (readonly [string, object, Partial<WriteRequest>, number, string | RegExp])[] = [
  ["an account that is not there", {}, { name: "none" }, 404, 'serviceaccounts "none" not found'],
  ["an account of a namespace that is not there", {}, { namespace: "none" }, 404, 'namespaces "none" not found'],
  ["an account that leads elsewhere", {}, { name: "../app" }, 400, /^Name parameter invalid: "..\/app"/],
  ["a pod that is not there", ref("Pod", "none"), {}, 404, 'pods "none" not found'],
  ["a secret that is not there", ref("Secret", "none"), {}, 404, 'secrets "none" not found'],
  ["a node that is not there", ref("Node", "none"), {}, 404, 'nodes "none" not found'],
  [
    "another account's pod",
    ref("Pod", "stranger"),
    {},
    400,
    'cannot bind token for serviceaccount "app" to pod running with different serviceaccount name.',
  ],
  [
    "another pod of that name",
    ref("Pod", "pod", { uid: "x" }),
    {},
    409,
    /^Operation cannot be fulfilled on Pod "pod": the UID in the bound object reference \(x\) does not match the UID in record/,
  ],
  [
    "a config map",
    ref("ConfigMap", "map", { apiVersion: "v1" }),
    {},
    400,
    "cannot bind token to object of type /v1, Kind=ConfigMap",
  ],
  ["nothing", { spec: { boundObjectRef: {} } }, {}, 400, "cannot bind token to object of type /, Kind="],
  [
    "a pod of another group",
    ref("Pod", "pod", { apiVersion: "apps/v1" }),
    {},
    400,
    "cannot bind token to object of type apps/v1, Kind=Pod",
  ],
  ["a pod without a name", ref("Pod", ""), {}, 400, "Name parameter required."],
  ["a pod of another namespace", ref("Pod", "../other/pod"), {}, 400, /may not contain '\/'$/],
  ["a pod by dots", ref("Pod", ".."), {}, 400, `Name parameter invalid: "..": may not be '..'`],
  ["an encoded slash", ref("Node", "a%2fb"), {}, 400, /may not contain '%'$/],
  [
    "ten minutes less a second",
    { spec: { expirationSeconds: 599 } },
    {},
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    "too many seconds",
    { spec: { expirationSeconds: 2 ** 32 + 1 } },
    {},
    422,
    /may not specify a duration larger than 2\^32 seconds$/,
  ],
  [
    "another account than the path's",
    { metadata: { name: "other" } },
    {},
    422,
    'TokenRequest.authentication.k8s.io "app" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  ],
  ["another namespace than the path's", { metadata: { namespace: "other" } }, {}, 400, /does not match the namespace/],
  ["another kind", { kind: "Pod", apiVersion: "v1" }, {}, 400, /cannot be handled as a TokenRequest/],
  [
    "an unknown field",
    { spec: { foo: 1 } },
    { options: { fieldValidation: "Strict" } },
    400,
    /unknown field "spec.foo"/,
  ],
  ["a trial that is none", {}, { options: { dryRun: "x" } }, 422, /dryRun/],
];
test("what no token is issued for, and what is said then", async (t) => {
  const { ask } = await start(t);
  for (const [what, body, request, code, message] of refusals) {
    await assert.rejects(ask(body, request), { name: "ApiError", code, message }, what);
  }
});

test("nothing else is done to tokens, and nobody has a token where nobody signs", async (t) => {
  const { ask } = await start(t);
  for (const verb of ["update", "patch", "delete"] as const) await assert.rejects(ask({}, { verb }), { code: 405 });
  const unsigned = await start(t, { settings: "none" });
  await assert.rejects(unsigned.ask({}), { code: 404, message: "the server could not find the requested resource" });
});

test("no token is issued in a namespace that is being deleted", async (t) => {
  const { ask, write } = await start(t);
  await write({ resource: "namespaces", namespace: "" }, { metadata: { name: "ends" } });
  await write({ resource: "serviceaccounts", namespace: "ends" }, { metadata: { name: "app" } });
  assert.equal((await ask({}, { namespace: "ends" })).code, 201);
  await write({ resource: "namespaces", namespace: "", verb: "delete", name: "ends" });
  await assert.rejects(ask({}, { namespace: "ends" }), { code: 403, message: /because it is being terminated/ });
});

test("a trial says what would be and hands out no token", async (t) => {
  const { ask } = await start(t);
  const { status } = answerOf(await ask({}, { options: { dryRun: "All" } }));
  assert.deepEqual(status, { token: "", expirationTimestamp: "2025-01-01T13:00:00Z" });
  await assert.rejects(ask(ref("Pod", "none"), { options: { dryRun: "All" } }), { code: 404 });
});

test("a token is never good for longer than the bound, and the client is told", async (t) => {
  const { ask } = await start(t, { settings: { maxSeconds: 7200 } });
  const reply = await ask({ spec: { expirationSeconds: 7201 } });
  assert.deepEqual(reply.warnings, ["requested expiration of 7201 seconds shortened to 7200 seconds"]);
  const answer = answerOf(reply);
  assert.equal(answer.spec.expirationSeconds, 7200);
  assert.equal(answer.status.expirationTimestamp, "2025-01-01T14:00:00Z");
  assert.equal(claimsOf(answer)["exp"], seconds + 7200);
  const within = await ask({ spec: { expirationSeconds: 7200 } });
  assert.deepEqual(within.warnings, []);
});

const year = 365 * 24 * 3600;
const extensions: readonly (readonly [string, object, Partial<TokenSettings>, number])[] = [
  ["a pod's own token", { expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "pod" } }, {}, year],
  [
    "a pod's own token for one audience of the API",
    { audiences: ["other"], expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "pod" } },
    {},
    year,
  ],
  [
    "the same beyond the bound",
    { expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "pod" } },
    { maxSeconds: 4000 },
    year,
  ],
  [
    "a pod's token for others",
    { audiences: ["api", "vault"], expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "pod" } },
    {},
    3607,
  ],
  [
    "a pod's token for another time",
    { expirationSeconds: 3608, boundObjectRef: { kind: "Pod", name: "pod" } },
    {},
    3608,
  ],
  ["a token of no pod", { expirationSeconds: 3607 }, {}, 3607],
  ["a node's token", { expirationSeconds: 3607, boundObjectRef: { kind: "Node", name: "node" } }, {}, 3607],
  [
    "a pod's own token where nothing is extended",
    { expirationSeconds: 3607, boundObjectRef: { kind: "Pod", name: "pod" } },
    { extend: false },
    3607,
  ],
];
for (const [what, spec, settings, good] of extensions) {
  test(`${what} is good for ${good === year ? "a year" : `${good} seconds`}`, async (t) => {
    const { ask } = await start(t, { settings });
    const answer = answerOf(await ask({ spec }));
    const claims = claimsOf(answer);
    assert.equal(claims["exp"], seconds + good);
    const own: unknown = claims["kubernetes.io"];
    assert.equal(Object(own).warnafter, good === year ? seconds + 3607 : undefined);
    // Clients are told the time that they asked for.
    const asked = answer.spec.expirationSeconds;
    assert.equal(Date.parse(answer.status.expirationTimestamp), (seconds + asked) * 1000);
  });
}

test("answers come in every form, and what a body says of the server's own is passed over", async (t) => {
  const { ask } = await start(t);
  for (const form of ["", "protobuf", "cbor", "json;PartialObjectMetadata;v1", "json;Table;v1;Metadata"]) {
    const { code, body } = await ask({ status: { token: "mine" }, metadata: { uid: "mine" } }, { form });
    assert.equal(code, 201);
    assert.ok(!body.includes("mine"), form);
    assert.equal(body.includes("eyJhbGciOiJFUzI1NiIsImtpZCI6"), !form.includes(";"), form);
  }
});

/** What is stored, as a source of objects. */
function stored({ store, naming }: Bed): ObjectSource {
  const kinds = catalogOf(naming).storedKinds();
  return {
    async get({ resource, namespace }, name) {
      const prefix = kinds.find((kind) => kind.group === "" && kind.plural === resource)?.storage.prefix;
      const place = namespace === undefined ? "" : `${namespace}/`;
      const entry = await store.get(key(`${naming.storePrefix}${prefix}/${place}${name}`));
      return entry === undefined ? undefined : JSON.parse(entry.value.toString());
    },
    follow: () => ({ stop: () => {} }),
  };
}

test("the tokens that are issued are known by their account until what they are bound to is gone", async (t) => {
  const { ask, bed, write } = await start(t);
  let now = noon;
  const authenticator = serviceAccountAuthenticator({
    naming: bed.naming,
    issuers: [tokens.issuer],
    keys: [tokens.signingKeyPem],
    apiAudiences: tokens.apiAudiences,
    objects: stored(bed),
    now: () => now,
    lookup: true,
    legacy: true,
  });
  const outcome = async (token: string): Promise<string> => {
    const verdict = await authenticator.authenticateToken(token, ["api"]);
    return verdict.outcome === "allow" ? verdict.user.name : verdict.outcome;
  };
  for (const [resource, kind, name] of [
    ["secrets", "Secret", "held"],
    ["nodes", "Node", "node"],
    ["serviceaccounts", "", "app"],
  ] as const) {
    const { status } = answerOf(await ask(kind === "" ? {} : ref(kind, name)));
    assert.equal(await outcome(status.token), "system:serviceaccount:default:app", resource);
    await write({ resource, verb: "delete", name, ...(resource === "nodes" ? { namespace: "" } : {}) });
    now += 1000;
    assert.equal(await outcome(status.token), "deny", resource);
  }
});
