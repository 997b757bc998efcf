import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { networkInterfaces } from "node:os";
import { after, before, describe, test } from "node:test";
import { connect, type Http } from "./harness/http.js";
import { freshNamespace } from "./harness/manifests.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

/** An address of this machine that endpoints may have: the loopback's are refused. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;

describe("the proxy of a service", { skip: address === undefined ? "this machine has no network" : false }, () => {
  let target: Target | undefined;
  let http: Http | undefined;
  let server: Server | undefined;
  let port = 0;
  let path = "";
  const on = (): Http => {
    if (http === undefined) throw new Error("not running");
    return http;
  };
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const said = { method: request.method, url: request.url, body: Buffer.concat(chunks).toString() };
        const { authorization, "x-asked": asked } = request.headers;
        response.writeHead(request.url === "/teapot" ? 418 : 200, {
          "content-type": "application/json",
          "x-own": "yes",
        });
        response.end(JSON.stringify({ ...said, asked, hasAuthorization: authorization !== undefined }));
      });
    });
    server.listen(0, address);
    await once(server, "listening");
    const bound = server.address();
    port = typeof bound === "object" && bound !== null ? bound.port : 0;
    target = await startStandalone();
    http = connect(target);
    const namespace = await freshNamespace(http);
    path = `/api/v1/namespaces/${namespace}`;
    // Only what is a pod of the namespace is asked.
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    await until("the pod is there", async () =>
      (await on().post(`${path}/pods`, pod)).status === 201 ? true : undefined,
    );
    const status = { podIP: address, podIPs: [{ ip: address }] };
    const told = await http.patch(`${path}/pods/p/status`, "merge", { status });
    assert.equal(told.status, 200, told.text);
    for (const [name, named] of [
      ["s", { name: "web" }],
      ["plain", {}],
    ] as const) {
      const ports = [{ ...named, port: 80, targetPort: port }];
      const service = await http.post(`${path}/services`, { metadata: { name }, spec: { ports } });
      assert.equal(service.status, 201, service.text);
      const targetRef = { kind: "Pod", name: "p", namespace };
      const subsets = [{ addresses: [{ ip: address, targetRef }], ports: [{ ...named, port }] }];
      const endpoints = await http.post(`${path}/endpoints`, { metadata: { name }, subsets });
      assert.equal(endpoints.status, 201, endpoints.text);
    }
    await until("the service is reached", async () =>
      (await on().get(`${path}/services/plain/proxy/`)).status === 200 ? true : undefined,
    );
  });
  after(async () => {
    http?.close();
    await target?.stop();
    server?.close();
  });

  for (const name of ["plain", "plain:80", "s:web", "s:80", "http:s:web", "http:s:80"]) {
    test(`${name} leads to its endpoint`, async () => {
      const answer = await on().get(`${path}/services/${name}/proxy/a/b?c=d`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.at("method"), answer.at("url")], ["GET", "/a/b?c=d"]);
      assert.equal(answer.headers["x-own"], "yes");
    });
  }

  test("methods, bodies and headers come there, and credentials do not", async () => {
    const headers = { "x-asked": "so", "content-type": "text/plain" };
    const call = { method: "PUT", path: `${path}/services/s:web/proxy/put`, body: "a body", headers };
    const answer = await on().call(call);
    assert.deepEqual([answer.at("method"), answer.at("body"), answer.at("asked")], ["PUT", "a body", "so"]);
    assert.equal(answer.at("hasAuthorization"), false);
  });

  test("what the endpoint answers is passed on as it is", async () => {
    assert.equal((await on().get(`${path}/services/s:web/proxy/teapot`)).status, 418);
  });

  test("a port that the service does not have, and a service without endpoints, are told", async () => {
    const absent = await on().get(`${path}/services/s:nope/proxy/`);
    assert.deepEqual([absent.status, absent.at("message")], [503, 'no endpoints available for service "s:nope"']);
    await on().post(`${path}/services`, { metadata: { name: "empty" }, spec: { ports: [{ port: 80 }] } });
    const empty = await on().get(`${path}/services/empty/proxy/`);
    assert.deepEqual([empty.status, empty.at("message")], [404, 'endpoints "empty" not found']);
  });
});
