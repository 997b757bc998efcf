import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { anyGroup, createPeers } from "@orch/rpc/group-peers.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { resourceWrite } from "@orch/rpc/methods.js";
import { ApiError } from "@orch/status/api-error.js";
import { authenticationData } from "./authentication-map.js";
import { leaseName, renewIdentity } from "./identity-lease.js";

/** A resource service that has no object before the first create; what it is asked for, with bodies. */
function setup() {
  const { services, caller } = createInProcess();
  const asked: (readonly [what: string, body: object])[] = [];
  let isThere = false;
  services.unary(resourceWrite, async ({ verb, namespace, resource, name, body, user }: WriteRequest) => {
    assert.equal(user.name, "system:apiserver");
    asked.push([`${verb} ${resource} ${namespace}/${name}`, JSON.parse(body.toString())]);
    if (verb === "patch" && !isThere) throw new ApiError("NotFound", "not there");
    isThere = true;
    return { code: 200, body: Buffer.from(""), warnings: [] };
  });
  return { asked, resources: createPeers(new Map([[anyGroup, caller]])) };
}

test("a lease is named as the reference names it: by the hash of the host", () => {
  assert.equal(leaseName("kind-control-plane"), "apiserver-c4vwjftbvpc5os2vvzle4qg27a");
  assert.match(leaseName("h"), /^apiserver-[a-z2-7]{26}$/);
  assert.notEqual(leaseName("h"), leaseName("h:6443"));
});

test("a gateway says that it runs, and says so again", async () => {
  const { asked, resources } = setup();
  const naming = createNaming("kubernetes");
  const identity = { place: "h", host: "h", uid: "u", now: () => Date.parse("2025-01-01T00:00:00.5Z") };
  await renewIdentity({ naming, resources }, identity);
  await renewIdentity({ naming, resources }, identity);
  const name = leaseName("h");
  const at = `leases kube-system/${name}`;
  assert.deepEqual(
    asked.map(([what]) => what),
    [`patch ${at}`, "create leases kube-system/", `patch ${at}`],
  );
  assert.deepEqual(asked[1]?.[1], {
    metadata: {
      name,
      labels: { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "h" },
    },
    spec: { holderIdentity: `${name}_u`, leaseDurationSeconds: 3600, renewTime: "2025-01-01T00:00:00.500000Z" },
  });
});

const flags = {
  "requestheader-allowed-names": ["front-proxy"],
  "requestheader-username-headers": ["X-Remote-User"],
  "requestheader-group-headers": ["X-Remote-Group"],
  "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
};

test("extension servers are told of authorities, and of front proxies where there are any", () => {
  assert.deepEqual(authenticationData({ clientCa: undefined, proxyCa: undefined }, flags), {});
  assert.deepEqual(authenticationData({ clientCa: "pem", proxyCa: undefined }, flags), { "client-ca-file": "pem" });
  assert.deepEqual(authenticationData({ clientCa: "pem", proxyCa: "proxy" }, flags), {
    "client-ca-file": "pem",
    "requestheader-client-ca-file": "proxy",
    "requestheader-allowed-names": '["front-proxy"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
  });
});
