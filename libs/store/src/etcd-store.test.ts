import { after, before, describe } from "node:test";
import { storeConformance } from "./conformance/conformance.js";
import { openEtcdFixture } from "./testing/etcd-fixture.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./testing/etcd-server.js";

const missing = etcdMissing();

describe("on one etcd", { skip: missing ?? false }, () => {
  let server: EtcdServer | undefined;
  before(async () => {
    server = await startEtcd();
  });
  after(() => server?.stop());
  storeConformance({
    name: "the etcd store",
    withoutTransactions: "all changes of a transaction of etcd have one revision",
    open: () => openEtcdFixture({ endpoints: server?.endpoints ?? [] }),
  });
});
