import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type LocalCluster, startLocalCluster } from "@orch/deploy/local-cluster.js";
import { askOps } from "@orch/deploy/ops-client.js";
import type { Process } from "@orch/deploy/process.js";
import { trustDomain } from "@orch/deploy/service-files.js";
import { issueAuthority, issueService } from "@orch/pki/certificates.js";
import { connect as connectRpc } from "@orch/rpc/link/grpc-client.js";
import type { LinkCredentials } from "@orch/rpc/link/grpc-link.js";
import { watchCacheGet } from "@orch/rpc/methods.js";
import { serviceIdentity, servicePeers } from "@orch/runtime/service-identity.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { newFolder, removeFolder } from "./harness/target.js";
import { until } from "./harness/until.js";

const day = 24 * 3600 * 1000;

describe("internal ports", { skip: etcdMissing() }, () => {
  let cluster: LocalCluster | undefined;
  let folder = "";
  const on = (): LocalCluster => {
    assert.ok(cluster !== undefined);
    return cluster;
  };
  before(async () => {
    folder = await newFolder();
    const counts = { gateways: 1, watchCaches: 1, controllerManagers: 1, etcdMembers: 1 };
    cluster = await startLocalCluster({ dialect: "orch", dataDir: folder, ...counts });
  });
  after(async () => {
    await cluster?.stop();
    await removeFolder(folder);
  });

  const others = async () => {
    const now = Date.now();
    const { services } = on();
    const foreign = await issueAuthority("services-ca", now);
    const issued = async (name: string, by = services.authority, at = now): Promise<LinkCredentials> => {
      const pair = await issueService(by, { name, uri: serviceIdentity(trustDomain, name) }, at);
      return { ca: services.authority.certificate, cert: pair.certificate, key: pair.key };
    };
    return {
      nobody: undefined,
      foreign: await issued("gateway", foreign),
      expired: await issued("gateway", services.authority, now - 400 * day),
      monitoring: await issued("monitoring"),
      gateway: await issued("gateway"),
    };
  };

  const rpcParts = (): readonly Process[] => [...on().resources, ...on().watchCaches];

  /** Why a call did not come through; an empty text where somebody answered it. */
  async function callTo(part: Process, given: LinkCredentials | undefined, waitForPeerMs = 500): Promise<string> {
    const said: string[] = [];
    const note = (fields: object): void => void said.push(JSON.stringify(fields));
    const accepts = servicePeers(trustDomain, ["resource", "watch-cache"]);
    const caller = connectRpc({
      target: part.addresses["rpc"] ?? "",
      waitForPeerMs,
      log: { info: () => {}, warn: note, error: note },
      security:
        given === undefined ? undefined : { credentials: { current: () => given, onChange: () => {} }, accepts },
    });
    const asked = { group: "", version: "v1", resource: "configmaps", namespace: "default", name: "none" };
    const whole = { ...asked, resourceVersion: "", subresource: "", form: "" };
    const answered = await caller.call(watchCacheGet, whole, { deadlineMs: 20_000 }).then(
      () => true,
      () => caller.ready,
    );
    await caller.close();
    return answered ? "" : said.join("\n");
  }

  test("of calls: only the gateway is served, whoever else asks", async () => {
    const { nobody, foreign, expired, monitoring, gateway } = await others();
    for (const part of rpcParts()) {
      for (const stranger of [nobody, foreign, expired])
        assert.match(await callTo(part, stranger, 2_000), /UNAVAILABLE/, part.name);
      const known = (peer: LinkCredentials) => callTo(part, peer, 10_000);
      assert.match(await known(monitoring), /PERMISSION_DENIED: spiffe:.*\/monitoring may not call/, part.name);
      assert.equal(await known(gateway), "", part.name);
      await until("the log tells of it", () => /a peer is refused/.test(part.log()) || undefined);
    }
  });

  test("of metrics: TLS alone, metrics for who may read them, health for everybody", async () => {
    const { services, resources, watchCaches, controllerManagers } = on();
    const ca = services.authority.certificate;
    const { foreign, expired, monitoring, gateway } = await others();
    for (const part of [...resources, ...watchCaches, ...controllerManagers]) {
      const at = part.addresses["metrics"] ?? "";
      await assert.rejects(fetch(`http://${at}/metrics`), part.name);
      for (const stranger of [{ ca }, foreign, expired, gateway]) {
        assert.deepEqual(await askOps(at, "/metrics", stranger), { status: 403, text: "forbidden\n" }, part.name);
        assert.equal((await askOps(at, "/livez", stranger)).status, 200, part.name);
      }
      // Of these services the controller manager has profiles.
      const isProfiled = controllerManagers.includes(part);
      const profiles = "/debug/pprof/cmdline";
      assert.equal((await askOps(at, profiles, gateway)).status, isProfiled ? 403 : 404, part.name);
      assert.equal((await askOps(at, profiles, monitoring)).status, isProfiled ? 200 : 404, part.name);
      const { status, text } = await askOps(at, "/metrics", monitoring);
      assert.equal(status, 200);
      assert.match(text, /process_resident_memory_bytes/);
      assert.equal((await askOps(at, "/other", monitoring)).status, 404);
    }
  });
});
