import assert from "node:assert/strict";
import { test } from "node:test";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { type Near, nearPeers } from "./near-peers.js";

/** Which of the two is asked for a list. */
function asked(near: Partial<Near> | undefined) {
  const said: string[] = [];
  const caller = (name: string): Caller => ({
    call: () => Promise.reject(new Error("no call is expected")),
    open() {
      said.push(name);
      return { cancel() {}, pause() {}, resume() {} };
    },
    ready: true,
    close: () => Promise.resolve(),
  });
  const far = caller("far");
  const peers = nearPeers({ of: () => far, all: [far] }, [""], () =>
    near === undefined ? undefined : { caller: caller("near"), has: () => true, hasRights: true, ...near },
  );
  return { said, list: (request: object, group = "") => open(peers.of(group), request) };
}

function open(caller: Caller, about: object): void {
  const request = {
    ...{ group: "", version: "v1", resource: "configmaps", namespace: "", labelSelector: "", fieldSelector: "" },
    ...{ resourceVersion: "", resourceVersionMatch: "", sendInitialEvents: undefined, limit: 0, continueToken: "" },
    ...{ form: "", gzip: false, ...about },
  };
  caller.open(watchCacheList, request, { message() {}, end() {} });
}

test("what a near cache has is asked of it, and everything else of the watch caches", () => {
  const { said, list } = asked({});
  list({});
  list({ permitted: { namespaces: ["a"] } });
  list({}, "apps");
  assert.deepEqual(said, ["near", "near", "far"]);
  const without = asked(undefined);
  without.list({});
  const lacking = asked({ has: () => false });
  lacking.list({});
  assert.deepEqual([...without.said, ...lacking.said], ["far", "far"]);
});

test("a near cache without the collections of rights is not asked for what one may see of all namespaces", () => {
  const { said, list } = asked({ hasRights: false });
  list({});
  list({ permitted: { namespaces: ["a"], rights: [1, 1, 1, 1] } });
  assert.deepEqual(said, ["near", "far"]);
});
