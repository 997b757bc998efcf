import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { type Dial, openRelay } from "@orch/status/relay.js";
import { openEtcdStore } from "./etcd-store.js";
import { makeCertificates } from "./testing/certificates.js";
import { drive, follow } from "./testing/drive.js";
import { etcdMissing, startEtcd } from "./testing/etcd-server.js";

/** Goes to this machine, whatever the name, and remembers whom it was asked for. */
function recordingDial(): { readonly dial: Dial; readonly asked: string[] } {
  const asked: string[] = [];
  const dial: Dial = ({ host, port }) => {
    asked.push(`${host}:${port}`);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port }, () => resolve(socket));
      socket.once("error", reject);
    });
  };
  return { dial, asked };
}

const unavailable = (error: unknown): boolean => error instanceof ApiError && error.reason === "ServiceUnavailable";

describe("the etcd store by a dial of its owner's", { skip: etcdMissing() ?? false }, () => {
  test("calls and streams go by the dial alone, to the member by its name", async () => {
    const server = await startEtcd();
    const { dial, asked } = recordingDial();
    const { port } = new URL(server.endpoints[0] ?? "");
    const store = await openEtcdStore({ endpoints: [`http://etcd.invalid:${port}`], prefix: "/relay/", dial });
    try {
      const d = drive(store, "/relay/");
      const first = await d.put("a", 0, "x".repeat(1 << 20));
      await d.put("b", 0, "2");
      assert.equal((await follow(store, { prefix: d.prefix, from: first, count: 2 })).length, 2);
      assert.ok(asked.length >= 2, String(asked));
      assert.deepEqual(new Set(asked), new Set([`etcd.invalid:${port}`]));
    } finally {
      await store.close();
      await server.stop();
    }
  });

  test("certificates are held to the member's name or address", async () => {
    const certificates = makeCertificates();
    const other = makeCertificates();
    const server = await startEtcd({ tls: certificates.server });
    const { port } = new URL(server.endpoints[0] ?? "");
    const open = (host: string, tls = certificates.client) =>
      openEtcdStore({
        endpoints: [`https://${host}:${port}`],
        prefix: "/tls/",
        tls,
        dial: recordingDial().dial,
        times: { totalMs: 1_500 },
      });
    try {
      for (const host of ["127.0.0.1", "localhost"]) {
        const store = await open(host);
        const d = drive(store, `/tls/`);
        const first = await d.put(host, 0, "1");
        assert.equal((await follow(store, { prefix: d.prefix, from: first, count: 1 })).length, 1, host);
        await store.close();
      }
      for (const wrong of [await open("10.1.2.3"), await open("etcd.invalid"), await open("127.0.0.1", other.client)]) {
        await assert.rejects(wrong.get(drive(wrong, "/tls/").key("a")), unavailable);
        await wrong.close();
      }
    } finally {
      await server.stop();
      await rm(certificates.directory, { recursive: true });
      await rm(other.directory, { recursive: true });
    }
  });
});

test("a dial that fails ends the connection, says why and leaves nothing", async () => {
  const told: string[] = [];
  const relay = await openRelay(["etcd:2379"], {
    ...{ name: "etcd", usualPort: 2379 },
    dial: () => Promise.reject(new Error("no way")),
    failed: (error) => void told.push(String(error)),
  });
  const path = relay.pathOf("etcd:2379");
  const socket = connect({ path });
  await new Promise((resolve) => socket.once("close", resolve));
  assert.deepEqual(told, ["Error: no way"]);
  await relay.close();
  assert.equal(existsSync(path), false);
});
