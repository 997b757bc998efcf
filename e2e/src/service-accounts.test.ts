import { after, before, describe } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect } from "./harness/http.js";
import type { AccountScene } from "./harness/service-accounts.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { serviceAccountSuite } from "./suite/access/service-accounts.js";

function serviceAccounts(name: string, start: () => Promise<Target>, skip?: string): void {
  describe(`service accounts on ${name}`, { skip: skip ?? false }, () => {
    let scene: AccountScene | undefined;
    const on = (): AccountScene => {
      if (scene === undefined) throw new Error(`${name} is not running`);
      return scene;
    };
    before(async () => {
      const target = await start();
      const gateways = target.urls.map((_, gateway) => connect(target, { gateway }));
      scene = { target, http: connect(target), gateways };
    });
    after(async () => {
      for (const each of [scene?.http, ...(scene?.gateways ?? [])]) each?.close();
      await scene?.target.stop();
    });
    serviceAccountSuite(on);
  });
}

serviceAccounts("standalone", () => startStandalone({ args: ["--secure-port=0", "--controllers=*"] }));
serviceAccounts("distributed", () => startDistributed({ controllerArgs: ["--controllers=*"] }), etcdMissing());
