import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { autoUpdateKey, builtInFlow } from "@orch/api/kinds/flowcontrol/built-in.js";
import type { FlowSchema } from "@orch/api/kinds/flowcontrol/types.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Credentials, connect, type Http } from "./harness/http.js";
import { namesOf } from "./harness/manifests.js";
import { assertFailure } from "./harness/status.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const group = "flowcontrol.apiserver.k8s.io";
const schemas = `/apis/${group}/v1/flowschemas`;
const levels = `/apis/${group}/v1/prioritylevelconfigurations`;
const maps = "/api/v1/namespaces/default/configmaps";
const tables = "/debug/api_priority_and_fairness";
const schemaHeader = "x-kubernetes-pf-flowschema-uid";

const everything = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
] as const;

function schemaOf(name: string, level: string, user: string): object {
  return {
    metadata: { name },
    spec: {
      matchingPrecedence: 50,
      priorityLevelConfiguration: { name: level },
      rules: [{ subjects: [{ kind: "User", user: { name: user } }], resourceRules: everything }],
    },
  };
}

describe("flow control's objects", { skip: etcdMissing() ?? false }, () => {
  let target: Target;
  let http: Http;
  let gateways: readonly Http[] = [];
  before(async () => {
    target = await startDistributed({ controllerArgs: ["--controllers=*"] });
    http = connect(target);
    gateways = target.urls.map((_, gateway) => connect(target, { gateway }));
  });
  after(async () => {
    for (const each of [http, ...gateways]) each.close();
    await target.stop();
  });
  const stranger = (): Credentials => ({ type: "token", token: target.strangerToken });

  test("the built-in ones are there, and say that the server keeps them", async () => {
    const { naming } = target;
    const builtIn = builtInFlow(naming);
    for (const [path, objects] of [
      [schemas, builtIn.schemas],
      [levels, builtIn.levels],
    ] as const) {
      const wanted = objects.map(({ name }) => name).sort();
      await until(`${path} are made`, async () =>
        (await http.get(path)).items().length >= wanted.length ? true : undefined,
      );
      const there = (await http.get(path)).items();
      assert.deepEqual([...namesOf(there)].sort(), wanted);
      for (const { metadata } of there) assert.equal(metadata.annotations?.[autoUpdateKey(naming)], "true");
    }
  });

  test("a user's schema takes effect on every gateway, and so does its end", async () => {
    assert.equal(target.urls.length, 2);
    const created = await http.post(schemas, schemaOf("of-stranger", "workload-low", "stranger"));
    assert.equal(created.status, 201, created.text);
    const uid = created.object().metadata.uid;
    const decided = (gateway: Http) => async () => {
      const { headers } = await gateway.call({ path: maps, as: stranger() });
      return headers[schemaHeader] === uid;
    };
    for (const gateway of gateways)
      await until("the schema decides", async () => (await decided(gateway)()) || undefined);
    assert.equal((await http.delete(`${schemas}/of-stranger`)).status, 200);
    for (const gateway of gateways) {
      await until("the schema decides no more", async () => !(await decided(gateway)()) || undefined);
    }
  });

  test("a schema says whether its level is there, as the controller's own account", async () => {
    const path = `${schemas}/of-nobody`;
    const said = async (reason: string): Promise<void> => {
      await until(`its level is ${reason}`, async () => {
        const { status, metadata }: FlowSchema = (await http.get(path)).object();
        const [condition] = status?.conditions ?? [];
        if (condition?.reason !== reason) return undefined;
        assert.equal(condition.type, "Dangling");
        assert.equal(condition.status, reason === "Found" ? "False" : "True");
        assert.match(
          condition.message ?? "",
          /^This FlowSchema references the PriorityLevelConfiguration object named "of-nobody"/,
        );
        const { manager } = (metadata.managedFields ?? []).find(({ subresource }) => subresource === "status") ?? {};
        assert.equal(manager, "api-priority-and-fairness-config-consumer-v1");
        return true;
      });
    };
    assert.equal((await http.post(schemas, schemaOf("of-nobody", "of-nobody", "nobody"))).status, 201);
    await said("NotFound");
    const limited = { limitResponse: { type: "Reject" } };
    const made = await http.post(levels, { metadata: { name: "of-nobody" }, spec: { type: "Limited", limited } });
    assert.equal(made.status, 201, made.text);
    await said("Found");
    assert.equal((await http.delete(`${levels}/of-nobody`)).status, 200);
    await said("NotFound");
    assert.equal((await http.delete(path)).status, 200);
  });

  test("who may see the path is shown what the levels do", async () => {
    const path = `${tables}/dump_priority_levels`;
    assert.equal((await http.call({ path, as: stranger() })).status, 403);
    // What the test before deleted is gone at every gateway a moment later.
    const shown = await until("the levels that are there", async () => {
      const answer = await http.get(path);
      return answer.text.includes("of-nobody") ? undefined : answer;
    });
    assert.equal(shown.status, 200);
    assert.equal(shown.headers["content-type"], "text/plain; charset=utf-8");
    const names = shown.text.split("\n").map((row) => row.split(",")[0]);
    const levelNames = builtInFlow(target.naming).levels.map(({ name }) => name);
    assert.deepEqual(names, ["PriorityLevelName", ...levelNames.sort(), ""]);
    assert.ok(!(await http.get("/")).text.includes("/debug"));
  });

  test("what is mandatory comes back when it is deleted, and can not be changed", async () => {
    for (const path of [`${schemas}/catch-all`, `${levels}/exempt`]) {
      const uid = (await http.get(path)).object().metadata.uid;
      assert.equal((await http.delete(path)).status, 200);
      const back = await until(`${path} is back`, async () => {
        const answer = await http.get(path);
        return answer.status === 200 ? answer.object() : undefined;
      });
      assert.notEqual(back.metadata.uid, uid);
    }
    const level = (await http.get(`${levels}/catch-all`)).object();
    const changed = { ...level, spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } };
    assertFailure(await http.put(`${levels}/catch-all`, changed), { code: 422, reason: "Invalid" });
  });

  test("what is suggested is put right unless its users say that they keep it", async () => {
    const path = `${levels}/workload-high`;
    const sharesOf = async (): Promise<unknown> => (await http.get(path)).at("spec.limited.nominalConcurrencyShares");
    const put = async (annotation: string): Promise<void> => {
      const { metadata, spec } = (await http.get(path)).json() as { metadata: object; spec: { limited: object } };
      const limited = { ...spec.limited, nominalConcurrencyShares: 77 };
      const annotations = { [autoUpdateKey(target.naming)]: annotation };
      const answer = await http.put(path, { metadata: { ...metadata, annotations }, spec: { ...spec, limited } });
      assert.equal(answer.status, 200, answer.text);
    };
    await put("true");
    await until("the suggested shares are back", async () => ((await sharesOf()) === 40 ? true : undefined));
    await put("false");
    await delay(3000);
    assert.equal(await sharesOf(), 77);
  });
});

describe("flow control under load", () => {
  let target: Target;
  let http: Http;
  before(async () => {
    const few = ["--max-requests-inflight=1", "--max-mutating-requests-inflight=0", "--authorization-mode=AlwaysAllow"];
    target = await startStandalone({ args: ["--secure-port=0", ...few] });
    http = connect(target);
    await until("the namespace is there", async () => ((await http.get(maps)).status === 200 ? true : undefined));
  });
  after(async () => {
    http.close();
    await target.stop();
  });
  const stranger = (): Credentials => ({ type: "token", token: target.strangerToken });
  const get = () => http.call({ path: maps, as: stranger() });

  /** A request of the stranger whose body never comes: it holds its seat until it is given up. */
  const holdSeat = async (): Promise<() => void> => {
    const [url = ""] = target.urls;
    const headers = { authorization: `Bearer ${target.strangerToken}`, "content-type": "application/json" };
    const sent = request(`${url}${maps}`, {
      method: "POST",
      ca: target.pki.ca,
      agent: false,
      headers: { ...headers, "content-length": "100" },
    });
    sent.on("error", () => {});
    sent.flushHeaders();
    await until("the seat is held", async () => {
      const { text } = await http.get("/metrics");
      return /current_executing_requests\{priority_level="(global-default|one)",[^}]*\} 1/.test(text)
        ? true
        : undefined;
    });
    return () => sent.destroy();
  };

  test("who finds no seat waits in a queue until one is free; the masters do not wait", async () => {
    const release = await holdSeat();
    const waiting = get();
    assert.equal(await Promise.race([waiting.then(() => "answered"), delay(500, "waits")]), "waits");
    assert.equal((await http.get(maps)).status, 200);
    const ofStranger = await until("both requests are shown", async () => {
      const requests = (await http.get(`${tables}/dump_requests?includeRequestDetails=1`)).text.split("\n");
      const rows = requests.filter((row) => row.startsWith("global-default,")).map((row) => row.split(/, +/));
      return rows.length < 2 ? undefined : rows;
    });
    assert.deepEqual(
      ofStranger.map((cells) => [cells[1], cells[3], cells[11], cells[12]]),
      [
        ["global-default", "0", "list", maps],
        ["global-default", "-1", "create", maps],
      ],
    );
    release();
    assert.equal((await waiting).status, 200);
  });

  test("a level that queues nothing answers 429 with Retry-After, and which objects decided", async () => {
    const level = { nominalConcurrencyShares: 20, limitResponse: { type: "Reject" } };
    const made = await http.post(levels, { metadata: { name: "one" }, spec: { type: "Limited", limited: level } });
    const schema = await http.post(schemas, schemaOf("one", "one", "stranger"));
    assert.deepEqual([made.status, schema.status], [201, 201]);
    const { uid = "" } = schema.object().metadata;
    await until("the schema decides", async () => ((await get()).headers[schemaHeader] === uid ? true : undefined));
    const release = await holdSeat();
    const refused = await get();
    assertFailure(refused, { code: 429, reason: "TooManyRequests", message: /please try again later/ });
    assert.equal(refused.headers["retry-after"], "1");
    assert.equal(refused.headers[schemaHeader], uid);
    assert.equal(refused.headers["x-kubernetes-pf-prioritylevel-uid"], made.object().metadata.uid);
    assert.equal(refused.at("details.retryAfterSeconds"), 1);
    assert.equal((await http.get(maps)).status, 200);
    assert.match(
      (await http.get("/metrics")).text,
      /apiserver_flowcontrol_rejected_requests_total\{priority_level="one",flow_schema="one",reason="concurrency-limit"\} 1\n/,
    );
    release();
    await until("the seat is free", async () => ((await get()).status === 200 ? true : undefined));
  });
});

describe("without priority and fairness", () => {
  test("a plain bound holds", async (t) => {
    const args = ["--secure-port=0", "--enable-priority-and-fairness=false", "--max-mutating-requests-inflight=1"];
    const target = await startStandalone({ args: [...args, "--authorization-mode=AlwaysAllow"] });
    t.after(() => target.stop());
    const http = connect(target);
    t.after(() => http.close());
    const as: Credentials = { type: "token", token: target.strangerToken };
    const slow = request(`${target.urls[0]}${maps}`, {
      method: "POST",
      ca: target.pki.ca,
      agent: false,
      headers: { authorization: `Bearer ${target.strangerToken}`, "content-length": "100" },
    });
    slow.on("error", () => {});
    slow.flushHeaders();
    assert.equal((await http.get(`${tables}/dump_priority_levels`)).status, 404);
    const refused = await until("the bound is reached", async () => {
      const answer = await http.call({ method: "POST", path: maps, body: { metadata: { generateName: "m-" } }, as });
      return answer.status === 429 ? answer : undefined;
    });
    assert.equal(refused.headers["retry-after"], "1");
    assert.equal((await http.call({ path: maps, as })).status, 200);
    await until("the write that runs is told", async () =>
      (await http.get("/metrics")).text.includes('apiserver_current_inflight_requests{request_kind="mutating"} 1\n')
        ? true
        : undefined,
    );
    slow.destroy();
  });
});
