import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { type TestContext, test } from "node:test";
import { serviceAccountAuthenticator } from "@orch/auth/service-account/authenticator.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMemoryServer, type MemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createTokenController } from "./token-controller.js";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const signingKeyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const rootCa = "-----BEGIN CERTIFICATE-----\n";

interface Setting {
  readonly dialect?: Dialect;
  readonly rootCa?: string | undefined;
}

function start(t: TestContext, server: MemoryServer, given: Setting = {}) {
  const tools = memoryTools(server, createNaming(given.dialect ?? "kubernetes"));
  const config = { signingKeyPem, rootCa: "rootCa" in given ? given.rootCa : rootCa, workers: 2 };
  runController(t, createTokenController(config, tools));
  return tools;
}

const asking = (account: string, more: object = {}, dialect: Dialect = "kubernetes"): object => {
  const { key } = createNaming(dialect);
  return {
    type: key("service-account-token"),
    ...more,
    metadata: { annotations: { [key("service-account.name")]: account, ...Object(Object(more).annotations) } },
  };
};
const data = (server: MemoryServer, path: string): Readonly<Record<string, string>> =>
  Object(server.at(path)?.["data"]);
const text = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString();
const hasToken = (server: MemoryServer, path: string) => (): boolean => (data(server, path)["token"] ?? "") !== "";
const isGone = (server: MemoryServer, path: string) => (): boolean => server.at(path) === undefined;

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`a secret is filled with a token that is its account's, in ${dialect}`, async (t) => {
    const server = createMemoryServer();
    server.put("serviceaccounts/ns/app");
    server.put("secrets/ns/s", asking("app", { data: { mine: "eA==" } }, dialect));
    start(t, server, { dialect });
    await until(hasToken(server, "secrets/ns/s"), "it has a token");
    const { token, ...rest } = data(server, "secrets/ns/s");
    const wanted = { mine: "x", namespace: "ns", "ca.crt": rootCa };
    assert.deepEqual(Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, text(value)])), wanted);
    const naming = createNaming(dialect);
    const { annotations } = server.at("secrets/ns/s")?.metadata ?? {};
    assert.equal(annotations?.[naming.key("service-account.uid")], "uid-app");
    const authenticator = serviceAccountAuthenticator({
      naming,
      issuers: [],
      keys: [createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString()],
      apiAudiences: ["api"],
      objects: {
        get: async ({ resource, namespace }, name) => server.at(`${resource}/${namespace}/${name}`),
        follow: () => ({ stop: () => {} }),
      },
      now: () => 0,
      lookup: true,
      legacy: true,
    });
    const verdict = await authenticator.authenticateToken(text(token), ["api"]);
    assert.equal(verdict.outcome === "allow" ? verdict.user.name : verdict.outcome, "system:serviceaccount:ns:app");
  });
}

test("only what is missing is written; a token stays the one that it is", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app");
  const whole = { token: "dG9rZW4=", namespace: Buffer.from("ns").toString("base64") };
  server.put("secrets/ns/no-ca", asking("app", { data: { ...whole, "ca.crt": "b2xk" } }));
  server.put(
    "secrets/ns/whole",
    asking("app", { data: { ...whole, "ca.crt": Buffer.from(rootCa).toString("base64") } }),
  );
  server.put("secrets/ns/opaque", {
    type: "Opaque",
    metadata: { annotations: { "kubernetes.io/service-account.name": "app" } },
  });
  start(t, server);
  await until(() => text(data(server, "secrets/ns/no-ca")["ca.crt"]) === rootCa, "the CA is new");
  assert.equal(data(server, "secrets/ns/no-ca")["token"], "dG9rZW4=");
  server.put("secrets/ns/late", asking("app"));
  await until(hasToken(server, "secrets/ns/late"), "the last has a token");
  assert.deepEqual(server.writes, ["update secrets/ns/no-ca", "update secrets/ns/late"]);
});

test("without a root CA there is none in the secrets", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app");
  server.put("secrets/ns/s", asking("app"));
  start(t, server, { rootCa: undefined });
  await until(hasToken(server, "secrets/ns/s"), "it has a token");
  assert.deepEqual(Object.keys(data(server, "secrets/ns/s")).sort(), ["namespace", "token"]);
});

test("a token that somebody takes out is made again", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app");
  server.put("secrets/ns/s", asking("app"));
  start(t, server);
  await until(hasToken(server, "secrets/ns/s"), "it has a token");
  server.put("secrets/ns/s", { ...server.at("secrets/ns/s"), data: {} });
  await until(hasToken(server, "secrets/ns/s"), "it has a token again");
});

test("secrets go with their account, and with one that is another of that name", async (t) => {
  const server = createMemoryServer();
  for (const name of ["app", "other"]) server.put(`serviceaccounts/ns/${name}`);
  server.put("serviceaccounts/b/app");
  for (const path of ["secrets/ns/one", "secrets/ns/two", "secrets/b/one"]) server.put(path, asking("app"));
  server.put("secrets/ns/other", asking("other"));
  server.put("secrets/ns/stale", asking("app", { annotations: { "kubernetes.io/service-account.uid": "before" } }));
  server.put("secrets/ns/nobody", asking("nobody"));
  server.put("secrets/ns/unsaid", asking(""));
  start(t, server);
  for (const name of ["stale", "nobody", "unsaid"]) await until(isGone(server, `secrets/ns/${name}`), `${name} goes`);
  for (const path of ["ns/one", "ns/two", "b/one", "ns/other"]) await until(hasToken(server, `secrets/${path}`), path);
  server.remove("serviceaccounts/ns/app");
  for (const name of ["one", "two"]) await until(isGone(server, `secrets/ns/${name}`), `${name} goes`);
  for (const path of ["secrets/b/one", "secrets/ns/other"]) assert.ok(server.at(path) !== undefined, path);
});

/** Nobody tells of its accounts: only a question shows that they are there. */
function deaf(server: MemoryServer): MemoryServer {
  const { client } = server;
  const list: typeof client.list = async (collection, options) => {
    const whole = await client.list(collection, options);
    return collection.resource === "serviceaccounts" ? { ...whole, items: [] } : whole;
  };
  return { ...server, client: { ...client, list } };
}

test("a secret is kept while its account is not heard of, or cannot be asked for", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app");
  server.put("secrets/ns/s", asking("app"));
  server.failOnce("get serviceaccounts/ns/app", new ApiError("ServiceUnavailable", "away"));
  const { failures } = start(t, deaf(server));
  await until(hasToken(server, "secrets/ns/s"), "it has a token");
  assert.equal(failures(), 1);
});

test("a secret that is gone is listed by its account no more", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app", { secrets: [{ name: "s" }, { name: "t" }] });
  server.put("secrets/ns/s", asking("app"));
  start(t, server);
  await until(hasToken(server, "secrets/ns/s"), "it has a token");
  server.remove("secrets/ns/s");
  const listed = (): unknown => server.at("serviceaccounts/ns/app")?.["secrets"];
  await until(() => JSON.stringify(listed()) === '[{"name":"t"}]', "it is not listed");
});

test("failures are tried again; what others do meanwhile is none", async (t) => {
  const server = createMemoryServer();
  server.put("serviceaccounts/ns/app");
  server.put("secrets/ns/a", asking("app"));
  server.put("secrets/ns/b", asking("app"));
  server.failOnce("update secrets/ns/a", new ApiError("ServiceUnavailable", "away"));
  server.failOnce("get secrets/ns/b", new ApiError("NotFound", "gone"));
  const { failures } = start(t, server);
  await until(hasToken(server, "secrets/ns/a"), "a has a token after all");
  assert.equal(failures(), 1);
  assert.ok(server.at("secrets/ns/b") !== undefined);
});
