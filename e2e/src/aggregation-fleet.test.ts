import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { type AggregationFiles, aggregationFiles } from "./harness/servers/aggregated-server.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

// A small server of this test behind every shape of orch: what one gateway knows, all know.

const group = "ext.example.com";

interface Shape {
  readonly name: string;
  readonly missing: string | undefined;
  readonly start: (args: readonly string[]) => Promise<Target>;
}

const shapes: readonly Shape[] = [
  { name: "standalone", missing: undefined, start: (args) => startStandalone({ args }) },
  {
    name: "standalone with workers, in the orch dialect",
    missing: undefined,
    start: (args) => startStandalone({ dialect: "orch", args: [...args, "--gateway-workers=2"] }),
  },
  {
    name: "distributed",
    missing: etcdMissing(),
    start: (args) => startDistributed({ args: args.filter((arg) => !arg.startsWith("--secure-port")) }),
  },
];

const things = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [
    { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get", "list", "watch"] },
  ],
};

for (const { name, missing, start } of shapes) {
  describe(`servers of others behind ${name}`, { skip: missing === undefined ? false : `SKIPPED: ${missing}` }, () => {
    let files: AggregationFiles;
    let backend: Server;
    let target: Target;
    let gateways: readonly Http[];
    const hung = new Set<ServerResponse>();

    before(async () => {
      files = await aggregationFiles(["things.default.svc", "hangs.default.svc"]);
      const [cert, key] = await Promise.all([readFile(files.servingCert), readFile(files.servingKey)]);
      backend = createServer({ cert, key }, (request, response) => answer(request, response));
      backend.listen(0, "127.0.0.1");
      await once(backend, "listening");
      target = await start(files.args);
      gateways = target.urls.map((_url, gateway) => connect(target, { gateway }));
    });
    after(async () => {
      for (const gateway of gateways) gateway.close();
      await target.stop();
      backend.closeAllConnections();
      backend.close();
      await files.remove();
    });

    function answer({ url = "", headers, socket }: IncomingMessage, response: ServerResponse): void {
      if (Object(socket).servername === "hangs.default.svc") {
        // It is well when it is asked whether it is, and says nothing else.
        if (url === "/apis/hangs.example.com/v1") response.end("{}");
        else hung.add(response);
        return;
      }
      if (url === `/apis/${group}/v1`) return void response.end(JSON.stringify(things));
      if (url.includes("watch=true"))
        return void response.write(`${JSON.stringify({ type: "ADDED", object: { metadata: { name: "a" } } })}\n`);
      if (url.startsWith(`/apis/${group}/v1/`))
        return void response.end(JSON.stringify({ kind: "Thing", user: headers["x-remote-user"] }));
      response.writeHead(404).end();
    }

    const one = (): Http => gateways[0] ?? assert.fail("no gateway");

    async function register(ofGroup: string, service: string): Promise<void> {
      const spec = { type: "ExternalName", externalName: "localhost" };
      const exposed = await one().post("/api/v1/namespaces/default/services", { metadata: { name: service }, spec });
      assert.equal(exposed.status, 201, exposed.text);
      const { port } = backend.address() as AddressInfo;
      const made = await one().post(services(), {
        metadata: { name: `v1.${ofGroup}` },
        spec: {
          ...{ group: ofGroup, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 },
          ...{
            service: { namespace: "default", name: service, port },
            caBundle: Buffer.from(files.ca).toString("base64"),
          },
        },
      });
      assert.equal(made.status, 201, made.text);
    }

    const services = (): string => `/apis/${target.naming.group("apiregistration")}/v1/apiservices`;

    test("every gateway passes requests on, and discovers what is behind", async () => {
      await register(group, "things");
      for (const http of gateways) {
        // With workers each connection may be another one's.
        for (let asked = 0; asked < 4; asked++) {
          const path = `/apis/${group}/v1/namespaces/default/things/a`;
          const got = await until("a gateway passes a request on", async () => {
            const found = await http.get(path);
            return found.status === 200 ? found : undefined;
          });
          assert.equal(got.at("user"), "admin");
        }
        const accept = `application/json;g=${target.naming.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
        await until("a gateway knows the resources", async () => {
          const { text } = await http.call({ path: "/apis", headers: { accept } });
          return /"resource":"things"/.test(text) || undefined;
        });
        const watch = await http.watch(`/apis/${group}/v1/things`);
        assert.equal((await watch.next())?.type, "ADDED");
        watch.close();
      }
    });

    test("a server that hangs holds nobody else up", async () => {
      await register("hangs.example.com", "hangs");
      await until("it is asked, and hangs", () => hung.size > 0 || undefined);
      for (const http of gateways) {
        for (const path of [
          "/apis",
          "/api/v1/namespaces",
          "/openapi/v2",
          "/openapi/v3",
          `/apis/${group}/v1/things/a`,
        ]) {
          assert.equal((await http.get(path)).status, 200, path);
        }
      }
    });

    test("the APIServices of custom groups come and go with their definitions", async () => {
      const definitions = `/apis/${target.naming.group("apiextensions")}/v1/customresourcedefinitions`;
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const made = await one().post(definitions, {
        metadata: { name: "toys.kinds.example.com" },
        spec: {
          ...{ group: "kinds.example.com", scope: "Namespaced", names: { plural: "toys", kind: "Toy" } },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      assert.equal(made.status, 201, made.text);
      const path = `${services()}/v1.kinds.example.com`;
      const found = await until("its APIService is there", async () => {
        const answered = await one().get(path);
        return answered.status === 200 ? answered : undefined;
      });
      assert.equal(found.at("status.conditions.0.reason"), "Local");
      await one().delete(`${definitions}/toys.kinds.example.com`);
      await until("it is gone", async () => (await one().get(path)).status === 404 || undefined);
    });

    test("an APIService that is deleted comes back, and one of a user does not", async () => {
      const apps = `${services()}/v1.apps`;
      const { uid } = (await one().get(apps)).object().metadata;
      assert.equal((await one().delete(apps)).status, 200);
      await until("it is there again", async () => {
        const answered = await one().get(apps);
        return (answered.status === 200 && answered.at("metadata.uid") !== uid) || undefined;
      });
      await one().delete(`${services()}/v1.${group}`);
      const path = `/apis/${group}/v1/namespaces/default/things/a`;
      for (const http of gateways)
        await until("its group is gone", async () => (await http.get(path)).status === 404 || undefined);
    });
  });
}
