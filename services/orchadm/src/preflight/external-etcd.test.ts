import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type Server, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import { systemClock } from "@orch/status/clock.js";
import { createManualClock, settled } from "@orch/status/testing/manual-clock.js";
import { createMachine, type Machine } from "../machine/machine.js";
import type { Tools } from "../world.js";
import { type ExternalEtcd, externalEtcdFiles, externalEtcdVersion } from "./external-etcd.js";
import { wrong } from "./preflight.js";

const told: string[] = [];
const noFiles = { caFile: "", certFile: "", keyFile: "" };

/** What is found, with the waits between attempts left out. */
async function found(etcd: ExternalEtcd, machine: Machine) {
  const clock = createManualClock();
  const tools: Tools = {
    ...{ naming: createNaming("orch"), clock, environment: {}, machine, version: "v1.32.0", pid: 1 },
    ...{ print: () => {}, printError: (text) => void told.push(text), trace: () => {}, ask: async () => "" },
    untilStopped: () => new AbortController().signal,
    program: { command: "node", args: [] },
  };
  let isDone = false;
  const finding = Promise.resolve(externalEtcdVersion(etcd, tools).find()).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    if (clock.waiting() > 0) clock.advance(5_000);
    await settled();
  }
  return finding;
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

describe("the version of an etcd that others run", () => {
  const machine = createMachine("");
  let endpoint = "";
  let asked: string[] = [];
  let answer: (response: ServerResponse) => void = () => {};
  const server = createPlainServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(response);
  });
  before(async () => {
    endpoint = `http://127.0.0.1:${await portOf(server)}`;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });

  const served = (etcdserver: unknown): string => JSON.stringify({ etcdserver, etcdcluster: "3.4.0" });
  const tooOld = (version: string) =>
    `this version of orchadm only supports external etcd version >= 3.4.0. Current version: ${version}`;
  const rows: readonly (readonly [
    what: string,
    code: number,
    text: string,
    why: (url: string) => readonly string[],
  ])[] = [
    ["new enough", 200, served("3.4.0"), () => []],
    ["newer", 200, served("3.6.1"), () => []],
    ["too old", 200, served("3.3.27"), () => [tooOld("3.3.27")]],
    ["almost there", 200, served("3.4.0-rc.4"), () => [tooOld("3.4.0-rc.4")]],
    ["none that one knows", 200, served("three"), () => [`couldn't parse external etcd version "three"`]],
    ["a number", 200, served(3), () => [`couldn't parse external etcd version ""`]],
    ["not told", 200, "{}", () => [`couldn't parse external etcd version ""`]],
    [
      "refused",
      404,
      "404 page not found",
      (url) => [`Get "${url}": server responded with non-successful status: 404 Not Found`],
    ],
    [
      "not there, however often one asks",
      503,
      "",
      (url) => [`Get "${url}": server responded with non-successful status: 503 Service Unavailable`],
    ],
  ];
  for (const [what, code, text, why] of rows) {
    test(`it is ${what}`, async () => {
      asked = [];
      answer = (response) => response.writeHead(code).end(text);
      // A slash behind the endpoint makes no second one.
      const endpoints = [endpoint, `${endpoint}/`];
      const expected = why(`${endpoint}/version`).map(wrong);
      assert.deepEqual(await found({ ...noFiles, endpoints }, machine), [...expected, ...expected]);
      assert.deepEqual(new Set(asked), new Set(["GET /version"]));
      assert.equal(asked.length, code === 503 ? 8 : 2);
    });
  }

  test("what is no JSON is said to be none", async () => {
    answer = (response) => response.end("<html>");
    const [finding, ...others] = await found({ ...noFiles, endpoints: [endpoint] }, machine);
    assert.deepEqual(others, []);
    assert.equal(finding?.level, "error");
    assert.ok(finding.text.startsWith(`Get "${endpoint}/version": the answer is no JSON: `), finding.text);
  });

  test("a member that comes to is well, and that it was awaited is told", async () => {
    told.length = 0;
    asked = [];
    answer = (response) => response.writeHead(asked.length < 3 ? 500 : 200).end(served("3.5.0"));
    assert.deepEqual(await found({ ...noFiles, endpoints: [endpoint] }, machine), []);
    assert.deepEqual(told, [
      `[preflight] Get "${endpoint}/version": server responded with non-successful status: 500 Internal Server Error; it is tried again for up to 15s\n`,
    ]);
  });

  test("where nobody listens, this is what is told", async () => {
    const gone = createPlainServer();
    const port = await portOf(gone);
    gone.close();
    await once(gone, "close");
    assert.deepEqual(await found({ ...noFiles, endpoints: [`http://127.0.0.1:${port}`] }, machine), [
      wrong(`Get "http://127.0.0.1:${port}/version": connect ECONNREFUSED 127.0.0.1:${port}`),
    ]);
  });
});

describe("the files by which an etcd of others is reached", () => {
  let folder = "";
  let endpoint = "";
  let server: Server;
  const paths = { caFile: "/pki/ca.crt", certFile: "/pki/client.crt", keyFile: "/pki/client.key" };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "orchadm-"));
    const now = systemClock.now();
    const [authority, other] = await Promise.all([issueAuthority("etcd", now), issueAuthority("other", now)]);
    const serving = await issueServing(authority, ["127.0.0.1"], now);
    const client = await issueClient(authority, { name: "orch", groups: [] }, now);
    const machine = createMachine(folder);
    for (const [path, text] of [
      [paths.caFile, authority.certificate],
      ["/pki/other.crt", other.certificate],
      [paths.certFile, client.certificate],
      [paths.keyFile, client.key],
    ] as const)
      machine.write(path, text);
    writeFileSync(join(folder, "pki/broken.crt"), "x");
    const tls = { cert: serving.certificate, key: serving.key, ca: authority.certificate };
    server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (_request, response) =>
      response.end('{"etcdserver":"3.5.1"}'),
    );
    endpoint = `https://127.0.0.1:${await portOf(server)}`;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    rmSync(folder, { recursive: true, force: true });
  });

  const rows: readonly (readonly [what: string, change: Partial<typeof paths>, why: RegExp | undefined])[] = [
    ["those that it wants", {}, undefined],
    ["another authority", { caFile: "/pki/other.crt" }, /^Get "https:.*\/version": (self-signed|unable to verify)/],
    ["no certificate of a client", { certFile: "", keyFile: "" }, /^Get "https:.*\/version": /],
    [
      "an authority that is not there",
      { caFile: "/pki/none.crt" },
      /^couldn't load external etcd's server certificate .*\/pki\/none\.crt: ENOENT/,
    ],
    [
      "a key that is not there",
      { keyFile: "/pki/none.key" },
      /^couldn't load external etcd's certificate and key pair .*\/pki\/client\.crt, .*\/pki\/none\.key: ENOENT/,
    ],
    [
      "a certificate that is none",
      { certFile: "/pki/broken.crt" },
      /^couldn't load external etcd's certificate and key pair .*\/pki\/broken\.crt, /,
    ],
  ];
  for (const [what, change, why] of rows) {
    test(what, async () => {
      const findings = await found({ ...paths, ...change, endpoints: [endpoint] }, createMachine(folder));
      assert.equal(findings.length, why === undefined ? 0 : 1, JSON.stringify(findings));
      if (why !== undefined) assert.match(findings[0]?.text ?? "", why);
    });
  }

  test("each of them that is named must be there", async () => {
    const machine = createMachine(folder);
    const checks = externalEtcdFiles(machine, { ...paths, keyFile: "/pki/none.key", endpoints: [endpoint] });
    assert.deepEqual(new Set(checks.map(({ name }) => name)), new Set(["ExternalEtcdClientCertificates"]));
    const findings = (await Promise.all(checks.map(({ find }) => find()))).flat();
    assert.deepEqual(findings, [wrong(`${folder}/pki/none.key doesn't exist`)]);
    assert.deepEqual(externalEtcdFiles(machine, { ...noFiles, endpoints: [endpoint] }), []);
  });
});
