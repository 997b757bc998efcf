import "reflect-metadata"; // must come before the library

import assert from "node:assert/strict";
import { KeyObject, webcrypto, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Client, createClient } from "@orch/client/http/http.js";
import { isApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { ensurePki } from "@orch/service-standalone/pki/pki.js";
import { ApiError } from "@orch/status/api-error.js";
import { type JsonName, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { type Answer, type Credentials, connect, type Http, valueAt } from "./harness/http.js";
import { freshNamespace, nameOf } from "./harness/manifests.js";
import { assertFailure, done } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** Certificates by the API: asked for, approved, signed, and used to log in. Two authorities sign, one for nodes. */
let folder: string;
let target: StandaloneTarget;
let http: Http;
let authorities: Readonly<Record<"people" | "nodes", KeyPair>>;

const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const peopleSigner = "kubernetes.io/kube-apiserver-client";
const nodeSigner = "kubernetes.io/kube-apiserver-client-kubelet";
const clientUsages = ["digital signature", "client auth"];
const bootstrapToken = "e2eabc.0123456789abcdef";

before(async () => {
  folder = await newFolder();
  const naming = createNaming("kubernetes");
  const own = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming });
  const [people, nodes] = await Promise.all([
    issueAuthority("people", Date.now()),
    issueAuthority("nodes", Date.now()),
  ]);
  authorities = { people, nodes };
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const bundle = [own.ca, people.certificate, nodes.certificate].join("");
  target = await startStandalone({
    dialect: "kubernetes",
    dataDir: folder,
    args: [
      "--secure-port=0",
      "--enable-bootstrap-token-auth",
      "--enable-admission-plugins=NodeRestriction",
      `--client-ca-file=${await file("clients.crt", bundle)}`,
      `--cluster-signing-apiserver-client-cert-file=${await file("people.crt", people.certificate)}`,
      `--cluster-signing-apiserver-client-key-file=${await file("people.key", people.key)}`,
      `--cluster-signing-agent-client-cert-file=${await file("nodes.crt", nodes.certificate)}`,
      `--cluster-signing-agent-client-key-file=${await file("nodes.key", nodes.key)}`,
      "--cluster-signing-duration=2h",
    ],
  });
  http = connect(target);
  await giveApprovers();
  await letNodesIn();
});
after(async () => {
  http.close();
  await target.stop();
  await removeFolder(folder);
});

async function give(name: string, rules: readonly object[], subjects: readonly object[]): Promise<void> {
  await done(http.post(`${rbac}/clusterroles`, { metadata: { name }, rules }));
  await bind(name, name, subjects);
}

async function bind(name: string, role: string, subjects: readonly object[]): Promise<void> {
  const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name: role };
  await done(http.post(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects }));
}

const approver: Credentials = { type: "user", name: "approver" };
const updater: Credentials = { type: "user", name: "updater" };

/** One may approve for the people's signer, the other may only write approvals. */
async function giveApprovers(): Promise<void> {
  const group = "certificates.k8s.io";
  const approval = { apiGroups: [group], resources: ["certificatesigningrequests/approval"], verbs: ["update"] };
  const signers = { apiGroups: [group], resources: ["signers"], resourceNames: [peopleSigner], verbs: ["approve"] };
  const user = (name: string) => ({ apiGroup: rbacGroup, kind: "User", name });
  await give("approves", [approval, signers], [user("approver")]);
  await give("writes-approvals", [approval], [user("updater")]);
  await until("the roles hold", async () => {
    const path = `${csrs}/none/approval`;
    const calls = [approver, updater].map((as) => http.call({ method: "PUT", path, body: {}, as }));
    return (await Promise.all(calls)).every(({ status }) => status !== 403) ? true : undefined;
  });
}

/** As clusters that take nodes in by bootstrap tokens are set up. */
async function letNodesIn(): Promise<void> {
  const [id, secret] = bootstrapToken.split(".");
  await done(
    http.post("/api/v1/namespaces/kube-system/secrets", {
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        ...{ "token-id": id, "token-secret": secret, "usage-bootstrap-authentication": "true" },
        "auth-extra-groups": "system:bootstrappers:e2e",
      },
    }),
  );
  const group = (name: string) => [{ apiGroup: rbacGroup, kind: "Group", name }];
  const csr = "system:certificates.k8s.io:certificatesigningrequests";
  await bind("e2e-bootstrappers", "system:node-bootstrapper", group("system:bootstrappers:e2e"));
  await bind("e2e-first-certificates", `${csr}:nodeclient`, group("system:bootstrappers:e2e"));
  await bind("e2e-renewed-certificates", `${csr}:selfnodeclient`, group("system:nodes"));
  // May ask, and nothing comes of it by itself.
  const asks = { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["create"] };
  await give("asks", [asks], group("askers"));
}

interface Asked {
  readonly name: string;
  readonly key: string;
}

interface Wish {
  readonly subject: JsonName;
  readonly signerName?: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
}

async function wish({ subject, signerName = peopleSigner, ...rest }: Wish): Promise<{ spec: object; key: string }> {
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
  const made = await Pkcs10CertificateRequestGenerator.create({ name: subject, keys, signingAlgorithm });
  const request = Buffer.from(`${made.toString("pem")}\n`).toString("base64");
  return {
    spec: { request, signerName, usages: clientUsages, ...rest },
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const body = (spec: object) => ({ metadata: { generateName: "e2e-" }, spec });

async function asked(of: Wish, as: Credentials = { type: "admin" }): Promise<Asked> {
  const { spec, key } = await wish(of);
  const made = await until("the request is taken", async () => {
    const answer = await http.call({ method: "POST", path: csrs, body: body(spec), as });
    return answer.status === 401 || answer.status === 403 ? undefined : answer;
  });
  assert.equal(made.status, 201, made.text);
  return { name: nameOf(made.object()), key };
}

async function decide(name: string, type: "Approved" | "Denied", as: Credentials): Promise<Answer> {
  const object = (await done(http.get(`${csrs}/${name}`))).object();
  const conditions = [{ type, status: "True", reason: "Test", message: "told" }];
  return http.call({
    method: "PUT",
    path: `${csrs}/${name}/approval`,
    body: { ...object, status: { conditions } },
    as,
  });
}

const certificateOf = (answer: Answer): string =>
  Buffer.from(String(answer.at("status.certificate") ?? ""), "base64").toString();

async function issued({ name, key }: Asked): Promise<KeyPair> {
  const certificate = await until(`${name} is signed`, async () => {
    const answer = await http.get(`${csrs}/${name}`);
    assert.ok(!answer.text.includes('"Failed"'), answer.text);
    return certificateOf(answer) || undefined;
  });
  return { certificate, key };
}

async function failureOf(name: string): Promise<unknown> {
  return until(`${name} has failed`, async () => {
    const conditions = (await http.get(`${csrs}/${name}`)).at("status.conditions");
    const failed = Array.isArray(conditions) ? conditions.find((c) => valueAt(c, "type") === "Failed") : undefined;
    return failed === undefined ? undefined : `${valueAt(failed, "reason")}: ${valueAt(failed, "message")}`;
  });
}

/** A later request of the same sort is through: controllers have had their turn at the earlier one. */
async function turnHasPassed(signerName: string): Promise<void> {
  const later =
    signerName === nodeSigner
      ? await asked(nodeWish("turn"), { type: "token", token: bootstrapToken })
      : await asked({ subject: [{ CN: ["turn"] }] });
  if (signerName !== nodeSigner) await done(decide(later.name, "Approved", approver));
  await issued(later);
}

/** Our own client with this certificate. */
function withCertificate({ certificate, key }: KeyPair): Client {
  const server = target.urls[0] ?? "";
  const tls = { ca: target.pki.ca, insecureSkipTlsVerify: false };
  return createClient({ server, namespace: "default", certificate, key, ...tls });
}

async function whoIs(pair: KeyPair): Promise<unknown> {
  const client = withCertificate(pair);
  try {
    const reviews = { group: "authentication.k8s.io", version: "v1", resource: "selfsubjectreviews" };
    const answer = await client.create(reviews, { metadata: {} });
    const { username, groups } = Object(valueAt(answer, "status.userInfo"));
    return { username, groups };
  } finally {
    await client.close();
  }
}

const isForbidden = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.reason, "Forbidden", error.message);
  assert.match(error.message, message);
  return true;
};

const nodeWish = (node: string): Wish => ({
  subject: [{ O: ["system:nodes"] }, { CN: [`system:node:${node}`] }],
  signerName: nodeSigner,
});

/** A node that has come in by a bootstrap token. */
async function joined(node: string): Promise<KeyPair> {
  return issued(await asked(nodeWish(node), { type: "token", token: bootstrapToken }));
}

describe("certificates", { concurrency: 4 }, () => {
  test("what was approved is signed, and is its subject's", async () => {
    const request = await asked({ subject: [{ O: ["dev"] }, { O: ["ops"] }, { CN: ["ann"] }] });
    for (const [as, message] of [
      [updater, /user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"$/],
      [{ type: "user", name: "nobody" }, /User "nobody" cannot update resource "certificatesigningrequests\/approval"/],
    ] as const) {
      assertFailure(await decide(request.name, "Approved", as), { code: 403, reason: "Forbidden", message });
    }
    await turnHasPassed(peopleSigner);
    const before = await http.get(`${csrs}/${request.name}`);
    assert.deepEqual([before.at("status.conditions"), before.at("status.certificate")], [undefined, undefined]);
    await done(decide(request.name, "Approved", approver));
    const pair = await issued(request);
    const certificate = new X509Certificate(pair.certificate);
    assert.ok(certificate.verify(new X509Certificate(authorities.people.certificate).publicKey));
    assert.equal(certificate.ca, false);
    assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2"], "of clients alone");
    const user = { username: "ann", groups: ["dev", "ops", "system:authenticated"] };
    assert.deepEqual(await whoIs(pair), user);
    const client = withCertificate(pair);
    const list = client.list({ group: "", version: "v1", resource: "namespaces" });
    await assert.rejects(list, isForbidden(/^namespaces is forbidden: User "ann" cannot list resource "namespaces"/));
    await client.close();
  });

  test("a certificate of an authority that nobody named logs nobody in", async () => {
    const [stranger, request] = await Promise.all([
      issueAuthority("people", Date.now()),
      wish({ subject: [{ CN: ["x"] }] }),
    ]);
    const { signRequest } = await import("@orch/pki/sign-request.js");
    const pem = Buffer.from(String(valueAt(request.spec, "request")), "base64").toString();
    const order = { request: pem, usages: clientUsages, now: Date.now(), durationMs: 3600_000 };
    const sign = async (authority: KeyPair): Promise<KeyPair> => {
      const signed = await signRequest({ ...order, authority });
      assert.ok(signed.ok);
      return { certificate: signed.certificate, key: request.key };
    };
    await assert.rejects(whoIs(await sign(stranger)));
    assert.deepEqual(await whoIs(await sign(authorities.people)), { username: "x", groups: ["system:authenticated"] });
  });

  test("nobody gets a certificate of the masters, and rules of signers hold", async () => {
    const masters = await wish({ subject: [{ O: ["system:masters"] }, { CN: ["eve"] }] });
    assertFailure(await http.post(csrs, body(masters.spec)), {
      code: 403,
      reason: "Forbidden",
      message: /use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed$/,
    });
    const nodes = await wish({ ...nodeWish("m"), subject: [{ O: ["system:masters"] }, { CN: ["system:node:m"] }] });
    const made = await done(http.post(csrs, body(nodes.spec)));
    const admin: Credentials = { type: "admin" };
    await done(decide(nameOf(made.object()), "Approved", admin));
    const wrong = "SignerValidationFailure: subject organization is not system:nodes";
    assert.equal(await failureOf(nameOf(made.object())), wrong);
    const server = await asked({ subject: [{ CN: ["ann"] }], usages: ["server auth", "client auth"] });
    await done(decide(server.name, "Approved", approver));
    assert.match(String(await failureOf(server.name)), /invalid usage for client certificate: server auth$/);
    assert.equal(certificateOf(await http.get(`${csrs}/${server.name}`)), "");
  });

  test("what is denied stays unsigned, and who asked cannot say that he did", async () => {
    const request = await asked({ subject: [{ CN: ["bob"] }] });
    await done(decide(request.name, "Denied", approver));
    assertFailure(await decide(request.name, "Approved", approver), { code: 422, reason: "Invalid" });
    await turnHasPassed(peopleSigner);
    const answer = await http.get(`${csrs}/${request.name}`);
    assert.equal(answer.at("status.certificate"), undefined, answer.text);
    assert.equal(answer.at("status.conditions.0.type"), "Denied");
    const { spec } = await wish({ subject: [{ CN: ["bob"] }] });
    const lie = { ...spec, username: "system:admin", groups: ["system:masters"], uid: "1" };
    const as: Credentials = { type: "user", name: "bob", groups: ["askers"] };
    const status = { conditions: [{ type: "Approved", status: "True", reason: "r", message: "m" }] };
    const made = await done(http.call({ method: "POST", path: csrs, body: { ...body(lie), status }, as }));
    assert.equal(made.at("spec.username"), "bob");
    assert.deepEqual(made.at("spec.groups"), ["askers", "system:authenticated"]);
    assert.equal(made.at("status.conditions"), undefined, made.text);
  });

  test("a certificate lasts as long as was asked for, and no longer than any does", async () => {
    const rows: readonly (readonly [number | undefined, number])[] = [
      [600, 600],
      [3600, 3600],
      [86_400, 7200],
      [undefined, 7200],
    ];
    await Promise.all(
      rows.map(async ([expirationSeconds, seconds]) => {
        const began = Date.now();
        const asking = expirationSeconds === undefined ? {} : { expirationSeconds };
        const request = await asked({ subject: [{ CN: ["brief"] }], ...asking });
        await done(decide(request.name, "Approved", approver));
        const { certificate } = await issued(request);
        const end = Date.parse(new X509Certificate(certificate).validTo);
        const [least, most] = [began + seconds * 1000 - 1000, Date.now() + seconds * 1000 + 1000];
        assert.ok(end >= least && end <= most, `${expirationSeconds}: ${(end - began) / 1000} s`);
      }),
    );
    const { spec } = await wish({ subject: [{ CN: ["brief"] }], expirationSeconds: 599 });
    assertFailure(await http.post(csrs, body(spec)), {
      code: 422,
      reason: "Invalid",
      message: /less than 600 seconds/,
    });
  });

  test("a node comes in by a bootstrap token, and renews its certificate by itself", async () => {
    const first = await joined("join");
    const certificate = new X509Certificate(first.certificate);
    assert.ok(certificate.verify(new X509Certificate(authorities.nodes.certificate).publicKey));
    assert.equal(certificate.verify(new X509Certificate(authorities.people.certificate).publicKey), false);
    const user = { username: "system:node:join", groups: ["system:nodes", "system:authenticated"] };
    assert.deepEqual(await whoIs(first), user);
    const node = withCertificate(first);
    try {
      const request = async (of: Wish): Promise<Asked> => {
        const { spec, key } = await wish(of);
        const place = { group: "certificates.k8s.io", version: "v1", resource: "certificatesigningrequests" };
        const made = await node.create(place, { ...body(spec), metadata: { generateName: "e2e-" } });
        return { name: made.metadata.name ?? "", key };
      };
      const own = await request(nodeWish("join"));
      assert.deepEqual(await whoIs(await issued(own)), user);
      await assert.rejects(request(nodeWish("another")), {
        reason: "Forbidden",
        message: /is forbidden: can only create a node CSR with CN=system:node:join$/,
      });
    } finally {
      await node.close();
    }
  });

  test("nobody else's request for a node is approved by itself", async () => {
    const as: Credentials = { type: "user", name: "carl", groups: ["askers"] };
    const request = await asked(nodeWish("carls"), as);
    const other = await asked({ subject: [{ CN: ["carl"] }] }, { type: "token", token: bootstrapToken });
    await turnHasPassed(nodeSigner);
    for (const { name } of [request, other]) {
      const answer = await http.get(`${csrs}/${name}`);
      assert.deepEqual([answer.at("status.conditions"), answer.at("status.certificate")], [undefined, undefined]);
    }
  });

  test("a node reads what its pods need, and asks for tokens of their accounts alone", async () => {
    const namespace = await freshNamespace(http);
    const base = `/api/v1/namespaces/${namespace}`;
    for (const node of ["one", "two"]) {
      await done(http.post("/api/v1/nodes", { metadata: { name: node } }));
      await done(http.post(`${base}/secrets`, { metadata: { name: `of-${node}` } }));
      await done(http.post(`${base}/serviceaccounts`, { metadata: { name: `on-${node}` } }));
      const spec = {
        ...{ nodeName: node, serviceAccountName: `on-${node}` },
        containers: [{ name: "c", image: "example.com/c:1", envFrom: [{ secretRef: { name: `of-${node}` } }] }],
      };
      await done(http.post(`${base}/pods`, { metadata: { name: `p-${node}` }, spec }));
    }
    const node = withCertificate(await joined("one"));
    try {
      const place = (resource: string) => ({ group: "", version: "v1", resource, namespace });
      const unrelated = /no relationship found between node 'one' and this object$/;
      const secret = await until("the node knows its pod", async () =>
        node.get(place("secrets"), "of-one").catch((error: unknown) => {
          if (error instanceof ApiError && error.reason === "Forbidden") return undefined;
          throw error;
        }),
      );
      assert.equal(secret.metadata.name, "of-one");
      await assert.rejects(node.get(place("secrets"), "of-two"), isForbidden(unrelated));
      await assert.rejects(node.list(place("secrets")), isForbidden(/cannot list resource "secrets"/));
      await assert.rejects(node.get(place("pods"), "p-two"), isForbidden(unrelated));
      const mine = await node.list(place("pods"), { fieldSelector: "spec.nodeName=one" });
      assert.deepEqual(
        mine.items.map(({ metadata }) => metadata.name),
        ["p-one"],
      );
      await assert.rejects(node.list(place("pods")), isForbidden(/can only list\/watch pods with spec.nodeName/));
      await assert.rejects(
        node.list(place("pods"), { fieldSelector: "spec.nodeName=two" }),
        isForbidden(/can only list\/watch pods with spec.nodeName/),
      );
      const token = async (account: string, pod: string): Promise<unknown> => {
        const { uid } = (await http.get(`${base}/pods/${pod}`)).object().metadata;
        const spec = { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod, uid } };
        const path = `${base}/serviceaccounts/${account}/token`;
        const answer = await node.raw({ method: "POST", path, body: JSON.stringify({ spec }) });
        const made: unknown = JSON.parse(answer.body.toString());
        assert.ok(isApiObject(made));
        return valueAt(made, "status.token");
      };
      const good = await token("on-one", "p-one");
      const who = await http.call({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: {},
        as: { type: "token", token: String(good) },
      });
      assert.equal(who.at("status.userInfo.username"), `system:serviceaccount:${namespace}:on-one`, who.text);
      await assert.rejects(token("on-two", "p-two"), isForbidden(unrelated));
      // With its pod a node's right to the secret goes.
      await done(http.delete(`${base}/pods/p-one`, {}, { gracePeriodSeconds: 0 }));
      await until("the node may not read the secret any more", async () =>
        node.get(place("secrets"), "of-one").then(
          () => undefined,
          (error: unknown) => isForbidden(unrelated)(error),
        ),
      );
    } finally {
      await node.close();
    }
  });
});
