import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { nameOf, versionOf } from "./harness/manifests.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const group = "kinds.example.com";
const namespace = "default";
const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        ...{ type: "object", "x-kubernetes-preserve-unknown-fields": true },
        properties: { color: { type: "string" }, size: { type: "integer" } },
      },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
};

interface Version {
  readonly name: string;
  readonly storage?: boolean;
}

function definition(plural: string, versions: readonly Version[]): object {
  const [kind] = [`${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`];
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, singular: plural.slice(0, -1), shortNames: [plural.slice(0, 2)], categories: ["all"] },
      versions: versions.map(({ name, storage = false }) => ({
        ...{ name, storage, schema, served: true },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        selectableFields: [{ jsonPath: ".spec.color" }],
      })),
    },
  };
}

const one = [{ name: "v1", storage: true }];

/** What changes at run time, as its author and its users see it. */
function userOf(target: Target) {
  const definitions = `/apis/${target.naming.group("apiextensions")}/v1/customresourcedefinitions`;
  const gateways = target.urls.map((_url, gateway) => connect(target, { gateway }));
  const [http] = gateways;
  assert.ok(http);
  const collection = (plural: string, version = "v1"): string =>
    `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  return {
    http,
    gateways,
    collection,
    async define(plural: string, versions: readonly Version[] = one): Promise<void> {
      const made = await http.post(definitions, definition(plural, versions));
      assert.equal(made.status, 201, made.text);
    },
    /** Says that a definition is established, or that it is not: nothing else of it changes. */
    async establish(plural: string, status: "True" | "False"): Promise<void> {
      const path = `${definitions}/${plural}.${group}/status`;
      const condition = {
        status,
        type: "Established",
        reason: "Test",
        message: "",
        lastTransitionTime: "2025-01-01T00:00:00Z",
      };
      const told = await http.patch(path, "merge", { status: { conditions: [condition] } });
      assert.equal(told.status, 200, told.text);
    },
    async redefine(plural: string, versions: readonly Version[]): Promise<void> {
      const path = `${definitions}/${plural}.${group}`;
      const changed = await http.patch(path, "merge", definition(plural, versions));
      assert.equal(changed.status, 200, changed.text);
    },
    async undefine(plural: string): Promise<void> {
      const gone = await http.delete(`${definitions}/${plural}.${group}`);
      assert.equal(gone.status, 200, gone.text);
    },
    /** Settles when every gateway answers for a resource with this code. */
    async everywhere(path: string, status: number): Promise<void> {
      for (const gateway of gateways) {
        await until(`${status} for ${path}`, async () => (await gateway.get(path)).status === status || undefined);
      }
    },
    close: () => gateways.forEach((gateway) => void gateway.close()),
  };
}

type User = ReturnType<typeof userOf>;

interface Place {
  readonly name: string;
  readonly skip: string | false;
  readonly start: () => Promise<Target>;
}

const places: readonly Place[] = [
  { name: "standalone", skip: false, start: () => startStandalone() },
  {
    name: "standalone with gateway workers",
    skip: false,
    start: () => startStandalone({ args: ["--secure-port=0", "--gateway-workers=2"] }),
  },
  { name: "services of their own", skip: etcdMissing() ?? false, start: () => startDistributed() },
];

/** Rounds in which kinds come and go while others work. */
const rounds = Number(process.env["ORCH_TEST_ROUNDS"] ?? 25);

for (const place of places) {
  describe(`kinds that come and go: ${place.name}`, { skip: place.skip }, () => {
    let target: Target;
    let user: User;
    let http: Http;
    before(async () => {
      target = await place.start();
      user = userOf(target);
      http = user.http;
    });
    after(async () => {
      user.close();
      await target.stop();
    });

    test("a resource that nobody defined is not there, and one that is not established neither", async () => {
      const path = user.collection("latecomers");
      assert.equal((await http.get(path)).status, 404);
      await user.define("latecomers");
      await user.everywhere(path, 200);
      await user.establish("latecomers", "False");
      await user.everywhere(path, 404);
      await user.establish("latecomers", "True");
      await user.everywhere(path, 200);
      await user.undefine("latecomers");
      await user.everywhere(path, 404);
    });

    test("its objects are written, read, watched, selected and deleted as those of every kind", async () => {
      await user.define("widgets", [...one, { name: "v2beta1" }]);
      const path = user.collection("widgets");
      await user.everywhere(path, 200);
      await user.everywhere(user.collection("widgets", "v2beta1"), 200);
      const began = versionOf((await http.get(path)).object());
      const watch = await http.watch(path, { resourceVersion: began });
      const body = { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "red", labels: { size: "big" } } };
      const made = await http.post(path, { ...body, spec: { color: "red", parts: [{ x: 1.5 }] }, status: { no: 1 } });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(
        [made.at("spec.parts.0.x"), made.at("status"), made.at("metadata.generation")],
        [1.5, undefined, 1],
      );
      const blue = { metadata: { name: "blue" }, spec: { color: "blue" } };
      assert.equal(
        (await http.patch(`${path}/blue`, "apply", { ...body, ...blue }, { fieldManager: "m" })).status,
        201,
      );
      const told = await http.patch(`${path}/red/status`, "merge", { status: { phase: "Ready" } });
      assert.deepEqual([told.status, told.at("status.phase"), told.at("metadata.generation")], [200, "Ready", 1]);
      const events = (await watch.take(3)).map((event) => `${event.type} ${nameOf(event.object)}`);
      assert.deepEqual(events, ["ADDED red", "ADDED blue", "MODIFIED red"]);
      const selected = async (query: Record<string, string>) => (await http.get(path, query)).items().map(nameOf);
      assert.deepEqual(await selected({ fieldSelector: "spec.color=red" }), ["red"]);
      assert.deepEqual(await selected({ labelSelector: "size=big" }), ["red"]);
      const other = await http.get(`${user.collection("widgets", "v2beta1")}/red`);
      assert.equal(other.at("apiVersion"), `${group}/v2beta1`);
      assert.equal((await http.delete(`${path}/blue`)).status, 200);
      assert.deepEqual(
        (await watch.take(1)).map(({ type }) => type),
        ["DELETED"],
      );
      watch.close();
      assert.equal((await http.delete(path)).status, 200);
      await user.undefine("widgets");
      await user.everywhere(path, 404);
    });

    test("a large object of it is written and shown in every form", async () => {
      await user.define("hulls");
      const path = user.collection("hulls");
      await user.everywhere(path, 200);
      const metadata = {
        name: "large",
        labels: Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`l${i}`, "x"])),
      };
      const spec = { text: "x".repeat(200_000) };
      const made = await http.post(path, { apiVersion: `${group}/v1`, kind: "Hull", metadata, spec });
      assert.equal(made.status, 201, made.text.slice(0, 500));
      const as = (form: string) => `application/json;as=${form};g=${target.naming.metaGroup};v=v1`;
      const table = await http.call({ path, headers: { accept: as("Table") } });
      assert.equal(table.at("rows.0.cells.0"), "large");
      const partial = await http.call({ path: `${path}/large`, headers: { accept: as("PartialObjectMetadata") } });
      assert.equal(partial.at("metadata.labels.l3999"), "x");
      assert.equal((await http.get(`${path}/large`)).at("spec.text"), spec.text);
      assert.equal((await http.delete(`${path}/large`)).status, 200);
      await user.undefine("hulls");
    });

    test("what encodings there are depends on the kind, which is looked up first", async () => {
      await user.define("knobs");
      const path = user.collection("knobs");
      await user.everywhere(path, 200);
      const protobuf = target.naming.protobufMediaType;
      const knob = { apiVersion: `${group}/v1`, kind: "Knob", metadata: { name: "a" } };
      assert.equal((await http.post(path, knob)).status, 201);
      const get = async (accept: string, of = path) => (await http.call({ path: of, headers: { accept } })).status;
      assert.deepEqual(await Promise.all([get(protobuf), get(protobuf, `${path}/a`)]), [406, 406]);
      assert.equal(await get(`${protobuf},application/json`), 200);
      assert.equal(await get("application/yaml"), 200);
      const metadata = `${protobuf};as=PartialObjectMetadataList;g=${target.naming.metaGroup};v=v1`;
      assert.equal(await get(metadata), 200);
      // A path of no kind is not there, whatever the client reads.
      assert.equal(await get("application/nothing", user.collection("nothings")), 404);
      assert.equal(await get("application/nothing"), 406);
      const body = (method: string, type: string, at = path) =>
        http.call({ method, path: at, headers: { "content-type": type }, body: JSON.stringify(knob) });
      assert.equal((await body("POST", protobuf)).status, 415);
      assert.equal((await body("PATCH", "application/strategic-merge-patch+json", `${path}/a`)).status, 415);
      await http.delete(path);
      await user.undefine("knobs");
    });

    test("its size is read and written through its scale, where its definition says that it stands", async () => {
      await user.define("fleets");
      const path = user.collection("fleets");
      await user.everywhere(path, 200);
      const fleet = { apiVersion: `${group}/v1`, kind: "Fleet" };
      assert.equal((await http.post(path, { ...fleet, metadata: { name: "a" }, spec: { size: 2 } })).status, 201);
      assert.equal((await http.post(path, { ...fleet, metadata: { name: "none" } })).status, 201);
      const scale = await http.get(`${path}/a/scale`);
      assert.deepEqual([scale.at("kind"), scale.at("spec.replicas"), scale.at("status.replicas")], ["Scale", 2, 0]);
      const more = await http.patch(`${path}/a/scale`, "merge", { spec: { replicas: 5 } });
      assert.deepEqual([more.status, more.at("spec.replicas")], [200, 5], more.text);
      const sized = await http.get(`${path}/a`);
      assert.deepEqual([sized.at("spec.size"), sized.at("metadata.generation")], [5, 2]);
      const below = await http.patch(`${path}/a/scale`, "merge", { spec: { replicas: -1 } });
      assert.equal(below.status, 422);
      assert.match(
        below.text,
        /Fleet\.kinds\.example\.com .* \.spec\.size: Invalid value: -1: should be a non-negative integer/,
      );
      const none = await http.get(`${path}/none/scale`);
      assert.deepEqual([none.status, none.at("reason")], [500, "InternalError"]);
      assert.match(none.text, /the spec replicas field .*\.spec\.size.* does not exist/);
      await http.delete(path);
      await user.undefine("fleets");
    });

    test("a body that names no kind, another one or another version is refused, and a finalizer without a domain warned of", async () => {
      await user.define("levers");
      const path = user.collection("levers");
      await user.everywhere(path, 200);
      const lever = { apiVersion: `${group}/v1`, kind: "Lever", metadata: { name: "a" } };
      const post = async (body: object) => {
        const answer = await http.post(path, body, { dryRun: "All" });
        return [answer.status, answer.at("message")];
      };
      const { kind: _kind, ...nameless } = lever;
      const [status, message] = await post(nameless);
      assert.equal(status, 400);
      assert.match(
        String(message),
        /^the object provided is unrecognized \(must be of type Lever\): Object 'Kind' is missing in '\{/,
      );
      assert.deepEqual(await post({ ...lever, kind: "Gadget" }), [
        422,
        `Gadget.${group} "a" is invalid: kind: Invalid value: "Gadget": must be Lever`,
      ]);
      assert.deepEqual(await post({ ...lever, apiVersion: `${group}/v9` }), [
        400,
        `the API version in the data (${group}/v9) does not match the expected API version (${group}/v1)`,
      ]);
      const held = await http.post(path, { ...lever, metadata: { name: "a", finalizers: ["x"] } }, { dryRun: "All" });
      assert.match(
        String(held.headers["warning"]),
        /metadata\.finalizers: ..x..: prefer a domain-qualified finalizer name/,
      );
      await user.undefine("levers");
    });

    test("discovery and OpenAPI tell of it, and what did not change stays the same to the byte", async () => {
      const v3 = async (section: string) => (await http.get(`/openapi/v3/${section}`)).headers.etag;
      const before = await v3("apis/apps/v1");
      await user.define("gears");
      await user.everywhere(user.collection("gears"), 200);
      for (const gateway of user.gateways) {
        const resources = await until("discovery of the group", async () => {
          const answer = await gateway.get(`/apis/${group}/v1`);
          return answer.status === 200 ? answer : undefined;
        });
        assert.match(resources.text, /"name":"gears"/);
        const aggregated = `application/json;g=${target.naming.group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`;
        const all = await gateway.call({ path: "/apis", headers: { accept: aggregated } });
        assert.match(all.text, /"gears"/);
        assert.match((await gateway.get("/openapi/v3")).text, new RegExp(`apis/${group.replaceAll(".", "\\.")}/v1`));
        assert.match((await gateway.get(`/openapi/v3/apis/${group}/v1`)).text, /gears\/\{name\}/);
        assert.match((await gateway.get("/openapi/v2")).text, /gears\/\{name\}/);
      }
      assert.equal(await v3("apis/apps/v1"), before);
      await user.undefine("gears");
      await user.everywhere(`/apis/${group}/v1`, 404);
      assert.doesNotMatch((await http.get("/openapi/v3")).text, /kinds\.example/);
    });

    test("objects outlive their kind: they are there again, and selectable, when it comes again", async () => {
      await user.define("orphans");
      const path = user.collection("orphans");
      await user.everywhere(path, 200);
      for (const color of ["red", "green"]) {
        const orphan = { apiVersion: `${group}/v1`, kind: "Orphan", metadata: { name: color }, spec: { color } };
        const made = await http.post(path, orphan);
        assert.equal(made.status, 201, made.text);
      }
      await user.establish("orphans", "False");
      await user.everywhere(path, 404);
      await user.establish("orphans", "True");
      await user.everywhere(path, 200);
      assert.deepEqual((await http.get(path)).items().map(nameOf), ["green", "red"]);
      assert.deepEqual((await http.get(path, { fieldSelector: "spec.color=green" })).items().map(nameOf), ["green"]);
      await http.delete(path);
      await user.undefine("orphans");
    });

    test("a watch ends when its kind says something else, or is no more", async () => {
      await user.define("cogs");
      const path = user.collection("cogs");
      await user.everywhere(path, 200);
      const first = await http.watch(path);
      await user.redefine("cogs", [...one, { name: "v2" }]);
      assert.deepEqual(
        (await first.rest()).map(({ type }) => type),
        [],
      );
      await user.everywhere(user.collection("cogs", "v2"), 200);
      const second = await http.watch(path);
      await user.undefine("cogs");
      assert.deepEqual(
        (await second.rest()).map(({ type }) => type),
        [],
      );
      await user.everywhere(path, 404);
    });

    test("a definition goes when its last object has gone, and nothing new comes meanwhile", async () => {
      await user.define("bolts");
      const path = user.collection("bolts");
      await user.everywhere(path, 200);
      const bolt = (name: string) => ({ apiVersion: `${group}/v1`, kind: "Bolt", metadata: { name } });
      const held = { ...bolt("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } };
      for (const body of [bolt("free"), held]) assert.equal((await http.post(path, body)).status, 201);
      await user.undefine("bolts");
      const what = `/apis/${target.naming.group("apiextensions")}/v1/customresourcedefinitions/bolts.${group}`;
      const reasons = async () => {
        const conditions = (await http.get(what)).at("status.conditions");
        assert.ok(Array.isArray(conditions));
        return conditions.map(({ type, reason }) => `${type} ${reason}`).at(-1);
      };
      await until(
        "it is being emptied",
        async () => (await reasons()) === "Terminating InstanceDeletionInProgress" || undefined,
      );
      await until("one is left", async () => (await http.get(path)).items().length === 1 || undefined);
      const late = await until("no new one comes", async () => {
        const answer = await http.post(path, bolt(`late-${Date.now()}`));
        return answer.status === 201 ? undefined : answer;
      });
      assert.deepEqual([late.status, late.at("reason")], [405, "MethodNotAllowed"], late.text);
      assert.match(String(late.at("message")), /create not allowed while custom resource definition is terminating/);
      assert.equal((await http.patch(`${path}/held`, "merge", { metadata: { finalizers: null } })).status, 200);
      await user.everywhere(path, 404);
      assert.equal((await http.get(what)).status, 404);
    });

    test(`${rounds} rounds of kinds that come and go disturb nobody's work`, async () => {
      let over = false;
      let done = 0;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const work = async (worker: number): Promise<void> => {
        for (let i = 0; !over; i++) {
          const name = `w${worker}-${i}`;
          const answers = [
            await http.post(maps, { metadata: { name } }),
            await http.get(`${maps}/${name}`),
            await http.get(maps, { limit: 5 }),
            await http.delete(`${maps}/${name}`),
          ];
          assert.deepEqual(
            answers.map(({ status }) => status),
            [201, 200, 200, 200],
            answers.map(({ text }) => text).join(),
          );
          done += 1;
        }
      };
      const working = Promise.all([0, 1, 2, 3].map(work));
      working.catch(() => {
        over = true;
      });
      for (let round = 0; round < rounds && !over; round++) {
        const plural = `rounds${round}s`;
        await user.define(plural);
        const path = user.collection(plural);
        await user.everywhere(path, 200);
        const made = await http.post(path, {
          metadata: { name: "a" },
          kind: `Rounds${round}`,
          apiVersion: `${group}/v1`,
        });
        assert.equal(made.status, 201, made.text);
        assert.equal((await http.get(`${path}/a`)).status, 200);
        assert.equal((await http.delete(`${path}/a`)).status, 200);
        await user.undefine(plural);
      }
      over = true;
      await working;
      assert.ok(done > 0, "somebody worked");
    });
  });
}
