import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResource, ApiResources } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http/http.js";
import type { ApiObject, Collection, ObjectList } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { emptyNamespace } from "./content.js";

const everyVerb = ["get", "list", "delete", "deletecollection"];
const resource = (name: string, more: Partial<ApiResource> = {}): ApiResource => ({
  group: "",
  version: "v1",
  resource: name,
  kind: name,
  namespaced: true,
  verbs: everyVerb,
  ...more,
});

type Objects = Readonly<Record<string, readonly ApiObject[]>>;

const object = (name: string, finalizers: readonly string[] = []): ApiObject => ({ metadata: { name, finalizers } });
const pod = (name: string, seconds: number, phase = "Running"): ApiObject => ({
  metadata: { name },
  spec: { terminationGracePeriodSeconds: seconds },
  status: { phase },
});

/** Objects by resource in one namespace; what has a finalizer, and every pod that runs, stays when it is deleted. */
function createServer(objects: Objects, refusals: Readonly<Record<string, ApiError>> = {}) {
  const content = new Map(Object.entries(objects));
  const requests: string[] = [];
  const stays = (of: string) => (o: ApiObject) =>
    o.metadata["finalizers"] !== undefined && JSON.stringify(o.metadata["finalizers"]) !== "[]"
      ? true
      : of === "pods" && JSON.stringify(o["status"]) === '{"phase":"Running"}';
  const asked = (verb: string, { resource: name }: Collection, of = ""): void => {
    const request = `${verb} ${name}${of === "" ? "" : `/${of}`}`;
    requests.push(request);
    const refusal = refusals[request];
    if (refusal !== undefined) throw refusal;
  };
  const client: Pick<Client, "list" | "delete" | "deleteCollection"> = {
    async list(collection): Promise<ObjectList> {
      asked("list", collection);
      return { resourceVersion: "1", continue: "", items: content.get(collection.resource) ?? [] };
    },
    async delete(collection, name) {
      asked("delete", collection, name);
      const { resource: of } = collection;
      content.set(
        of,
        (content.get(of) ?? []).filter((o) => o.metadata.name !== name || stays(of)(o)),
      );
      return {};
    },
    async deleteCollection(collection, how) {
      assert.equal(how?.propagationPolicy, "Background");
      asked("deletecollection", collection);
      const { resource: of } = collection;
      content.set(of, (content.get(of) ?? []).filter(stays(of)));
      return {};
    },
  };
  return { client, requests };
}

function empty(server: ReturnType<typeof createServer>, resources: Partial<ApiResources>, secondsSince = 1) {
  const all = resources.preferred ?? [];
  const { signal } = new AbortController();
  const { client } = server;
  return emptyNamespace(
    { all, preferred: all, stale: [], ...resources },
    { client, accept: "application/json", signal, namespace: "ns", secondsSince },
  );
}

test("what can be deleted and listed in a namespace is deleted, what is empty is only looked at", async () => {
  const server = createServer({ maps: [object("a"), object("b")] });
  const emptied = await empty(server, {
    preferred: [
      resource("maps"),
      resource("secrets"),
      resource("nodes", { namespaced: false }),
      resource("bindings", { verbs: ["create"] }),
    ],
  });
  assert.deepEqual(server.requests.sort(), ["deletecollection maps", "list maps", "list maps", "list secrets"]);
  assert.deepEqual(emptied, {
    discoveryFailure: undefined,
    parsingFailure: undefined,
    contentFailures: [],
    remaining: new Map(),
    finalizers: new Map(),
    estimateSeconds: 0,
  });
});

test("what can not be deleted as a collection is deleted one by one", async () => {
  const one = createServer({ services: [object("a"), object("b")] });
  const preferred = [resource("services", { verbs: ["list", "delete"] })];
  assert.equal((await empty(one, { preferred })).remaining.size, 0);
  assert.deepEqual(one.requests, ["list services", "delete services/a", "delete services/b", "list services"]);

  const refused = new ApiError("MethodNotAllowed", "no");
  const gone = new ApiError("NotFound", "gone");
  const said = createServer(
    { services: [object("a"), object("b")] },
    { "deletecollection services": refused, "delete services/b": gone },
  );
  const emptied = await empty(said, { preferred: [resource("services")] });
  assert.ok(said.requests.includes("delete services/a"));
  assert.deepEqual(emptied.remaining, new Map([["services.", 1]]));
});

test("what finalizers hold is counted, by resource and by finalizer", async () => {
  const held = createServer({ maps: [object("a", ["f", "g"]), object("b", ["f"])], webs: [object("c", ["g"])] });
  const emptied = await empty(held, { preferred: [resource("maps"), resource("webs", { group: "example.com" })] });
  assert.deepEqual(
    emptied.remaining,
    new Map([
      ["maps.", 2],
      ["webs.example.com", 1],
    ]),
  );
  assert.deepEqual(
    emptied.finalizers,
    new Map([
      ["f", 2],
      ["g", 2],
    ]),
  );
  assert.equal(emptied.estimateSeconds, 15);
  assert.deepEqual(emptied.contentFailures, []);
});

test("pods that run have their longest grace period, while it is not over", async () => {
  const pods = [pod("a", 30), pod("b", 60), pod("c", 900, "Succeeded")];
  const soon = await empty(createServer({ pods }), { preferred: [resource("pods")] });
  assert.equal(soon.estimateSeconds, 60);
  assert.deepEqual(soon.contentFailures, []);
  const late = await empty(createServer({ pods }), { preferred: [resource("pods")] }, 61);
  assert.equal(late.estimateSeconds, 0);
  assert.deepEqual(late.contentFailures, [
    "unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods",
  ]);
});

test("a resource that fails does not keep the others, and a group that is away is told", async () => {
  const server = createServer(
    { maps: [object("a")], secrets: [object("b")] },
    { "list maps": new ApiError("ServiceUnavailable", "maps are away") },
  );
  const emptied = await empty(server, {
    preferred: [resource("maps"), resource("secrets")],
    stale: ["metrics.example.com/v1"],
  });
  assert.deepEqual(emptied.contentFailures, ["maps are away"]);
  assert.ok(server.requests.includes("deletecollection secrets"));
  assert.equal(
    emptied.discoveryFailure,
    "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: " +
      "metrics.example.com/v1: stale GroupVersion discovery: metrics.example.com/v1",
  );
});
