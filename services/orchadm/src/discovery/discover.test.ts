import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { systemClock } from "@orch/status/clock.js";
import { createMachine } from "../machine/machine.js";
import type { Tools } from "../world.js";
import { discover } from "./discover.js";
import { pinOf } from "./pins.js";
import { detachedSignature } from "./signature.js";

const now = systemClock.now();
const token = "abcdef.0123456789abcdef";
const [id, secret] = ["abcdef", "0123456789abcdef"];
const naming = createNaming("orch");

const told: string[] = [];
const tools: Tools = {
  ...{ naming, clock: systemClock, environment: {}, machine: createMachine(""), version: "v1.32.0" },
  ...{ print: () => {}, printError: (text) => void told.push(text), trace: () => {}, ask: async () => "", pid: 1 },
  untilStopped: () => new AbortController().signal,
  program: { command: "node", args: [] },
};

interface Served {
  readonly authority: KeyPair;
  /** The data of the map that anybody may read; after the first request `later`. */
  readonly data: (server: string) => Readonly<Record<string, string>>;
  readonly later?: (server: string) => Readonly<Record<string, string>>;
}

async function serve({ authority, data, later = data }: Served) {
  const { certificate, key } = await issueServing(authority, ["127.0.0.1"], now);
  const credentials: (string | undefined)[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const tell = credentials.length === 0 ? data : later;
    credentials.push(request.headers.authorization);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "cluster-info" }, data: tell(url) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = `https://127.0.0.1:${address.port}`;
  return {
    endpoint: `127.0.0.1:${address.port}`,
    credentials,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const infoOf =
  (ca: string) =>
  (server: string): string =>
    `apiVersion: v1\nkind: Config\nclusters:\n- name: ""\n  cluster:\n    server: ${server}\n    certificate-authority-data: ${Buffer.from(ca).toString("base64")}\n`;

describe("what a machine believes of a cluster that it joins", () => {
  let own: KeyPair;
  let foreign: KeyPair;
  before(async () => {
    [own, foreign] = await Promise.all([issueAuthority("orch", now), issueAuthority("orch", now)]);
  });
  after(() => {});

  const signed =
    (authority: KeyPair, key = secret) =>
    (server: string) => {
      const kubeconfig = infoOf(authority.certificate)(server);
      return { kubeconfig, [`jws-kubeconfig-${id}`]: detachedSignature(kubeconfig, { id, secret: key }) };
    };

  async function joined(served: Served, pins: readonly string[], unsafe = false) {
    const server = await serve(served);
    try {
      const bootstrapToken = {
        token,
        apiServerEndpoint: server.endpoint,
        caCertHashes: pins,
        unsafeSkipCAVerification: unsafe,
      };
      const found = await discover({ bootstrapToken, tlsBootstrapToken: token, timeout: "5m0s" }, tools, 300);
      return { ...found, endpoint: server.endpoint };
    } finally {
      assert.ok(
        server.credentials.every((each) => each === undefined),
        "nothing is told to a server that is not known yet",
      );
      server.close();
    }
  }

  test("a signed info of the pinned authority, by a server of that authority", async () => {
    const { ca, server, endpoint } = await joined({ authority: own, data: signed(own) }, [
      pinOf(own.certificate).toUpperCase().replace("SHA", "sha"),
    ]);
    assert.equal(ca, own.certificate);
    assert.equal(server, `https://${endpoint}`);
  });

  test("a man in the middle who knows the token and makes an authority is refused by the pin", async () => {
    await assert.rejects(
      joined({ authority: foreign, data: signed(foreign) }, [pinOf(own.certificate)]),
      /cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:[0-9a-f]{64}" are pinned/,
    );
  });

  test("one who passes the real text on is refused by his certificate", async () => {
    await assert.rejects(
      joined({ authority: foreign, data: signed(own) }, [pinOf(own.certificate)]),
      /couldn't validate the identity of the API Server/,
    );
  });

  test("one who does not know the token is refused by the signature", async () => {
    const wrong = /failed to verify JWS signature of received cluster info object, can't trust this API Server/;
    await assert.rejects(
      joined({ authority: own, data: signed(own, "fedcba9876543210") }, [pinOf(own.certificate)]),
      wrong,
    );
    const changed = (server: string) => ({
      ...signed(own)(server),
      kubeconfig: infoOf(own.certificate)("https://elsewhere"),
    });
    await assert.rejects(joined({ authority: own, data: changed }, [pinOf(own.certificate)]), wrong);
    // A header of somebody's own choice does not choose the algorithm.
    const none = (server: string) => ({
      ...signed(own)(server),
      [`jws-kubeconfig-${id}`]: `${Buffer.from('{"alg":"none"}').toString("base64url")}..`,
    });
    await assert.rejects(joined({ authority: own, data: none }, [pinOf(own.certificate)]), wrong);
  });

  test("another text on the second look is refused", async () => {
    const later = (server: string) => {
      const kubeconfig = `${infoOf(own.certificate)(server)}# changed\n`;
      return { kubeconfig, [`jws-kubeconfig-${id}`]: detachedSignature(kubeconfig, { id, secret }) };
    };
    await assert.rejects(
      joined({ authority: own, data: signed(own), later }, [pinOf(own.certificate)]),
      /failed validation/,
    );
  });

  test("a token that the cluster does not have, or no longer, is told of once before the time is over", async () => {
    const data = (server: string) => ({ kubeconfig: infoOf(own.certificate)(server) });
    const says =
      /token id "abcdef" is invalid for this cluster or it has expired. Use "orchadm token create" on the control-plane node/;
    told.length = 0;
    await assert.rejects(joined({ authority: own, data }, [pinOf(own.certificate)]), says);
    assert.equal(told.length, 1, told.join(""));
    assert.match(told[0] ?? "", says);
    assert.match(told[0] ?? "", /^\[discovery\] .*; it is tried again for up to 300ms\n$/);
  });

  test("a cluster that is not set up for it", async () => {
    await assert.rejects(
      joined({ authority: own, data: () => ({}) }, [pinOf(own.certificate)]),
      /there is no kubeconfig key in the cluster-info ConfigMap/,
    );
  });

  test("a file is believed as it is", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orchadm-"));
    const at = join(folder, "cluster.conf");
    const discovery = { file: { orchConfigPath: at }, tlsBootstrapToken: token, timeout: "5m0s" };
    writeFileSync(at, infoOf(own.certificate)("https://10.0.0.1:6443"));
    assert.deepEqual(await discover(discovery, tools, 300), { server: "https://10.0.0.1:6443", ca: own.certificate });
    writeFileSync(at, "clusters: []\n");
    await assert.rejects(discover(discovery, tools, 300), /the client configuration names no cluster/);
    writeFileSync(at, "clusters: [{cluster: {server: 'https://10.0.0.1:6443'}}]\n");
    await assert.rejects(discover(discovery, tools, 300), /names no certificate authority/);
    rmSync(folder, { recursive: true });
  });

  test("without a pin only where that is said", async () => {
    const { ca } = await joined({ authority: own, data: signed(own) }, [], true);
    assert.equal(ca, own.certificate);
    await assert.rejects(joined({ authority: own, data: signed(own) }, []), /none of the public keys/);
    await assert.rejects(
      joined({ authority: own, data: signed(own) }, ["sha256:12"]),
      /invalid public key hash "sha256:12"/,
    );
  });
});
