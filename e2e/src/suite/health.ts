import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../harness/http.js";
import { freshMaps } from "../harness/manifests.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

const anonymous = { as: { type: "anonymous" } } as const;

const postStartHooks = [
  "bootstrap-controller",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-config-producer",
  "rbac/bootstrap-roles",
  "start-service-ip-repair-controllers",
  "start-system-namespaces-controller",
].map((hook) => `poststarthook/${hook}`);

/** Health endpoints and metrics (rules: Health endpoints). */
export function healthSuite(on: On): void {
  for (const kind of ["healthz", "livez", "readyz"]) {
    test(`/${kind} says ok, check by check when asked, to anyone`, async () => {
      const { http } = on();
      const short = await http.call({ path: `/${kind}`, ...anonymous });
      assert.equal(short.status, 200, short.text);
      assert.equal(short.text, "ok");
      const verbose = await http.call({ path: `/${kind}?verbose`, ...anonymous });
      const lines = verbose.text.trimEnd().split("\n");
      assert.equal(lines.at(-1), "healthz check passed");
      for (const line of lines.slice(0, -1)) assert.match(line, /^\[\+\]\S+ ok$/);
      for (const check of ["ping", "log", "store", ...postStartHooks]) {
        assert.ok(lines.includes(`[+]${check} ok`), check);
      }
      assert.equal(lines.includes("[+]shutdown ok"), kind === "readyz");
      for (const line of lines.slice(0, -1)) {
        const single = await http.get(`/${kind}/${line.slice(3, -3)}`);
        assert.equal(`${single.status} ${single.text}`, "200 ok", line);
      }
      const listed = (await http.get("/")).text;
      for (const line of lines.slice(0, -1)) assert.ok(listed.includes(`"/${kind}/${line.slice(3, -3)}"`), line);
    });
  }

  test("checks can be left out, and a check that is not there is 404", async () => {
    const { http } = on();
    const answer = await http.get("/readyz?verbose&exclude=ping&exclude=log&exclude=nothing");
    assert.equal(answer.status, 200);
    assert.match(answer.text, /^\[\+\]ping excluded: ok$/m);
    assert.match(answer.text, /^\[\+\]log excluded: ok$/m);
    assert.match(answer.text, /cannot be excluded: no matches for "nothing"/);
    assert.equal((await http.get("/readyz/nothing")).status, 404);
  });

  test("/metrics counts requests by verb, resource and code, for those who may read it", async () => {
    const { http } = on();
    await http.get("/api/v1/namespaces/default/configmaps/not-there");
    const answer = await http.get("/metrics");
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["content-type"]), /^text\/plain/);
    assert.match(answer.text, /^# TYPE apiserver_request_total counter$/m);
    assert.match(answer.text, /^apiserver_request_duration_seconds_bucket\{/m);
    assert.equal((await http.call({ path: "/metrics", ...anonymous })).status, 403);
  });

  test("/metrics tells how long events took from their commit to their watchers", async (t) => {
    // Each gateway tells of its own watches.
    const http = connect(on().target, { gateway: 0 });
    t.after(() => http.close());
    const series = "orch_gateway_watch_delivery_duration_seconds";
    const numberOf = async (suffix: string): Promise<number> => {
      const line = (await http.get("/metrics")).text.split("\n").find((l) => l.startsWith(`${series}${suffix} `));
      return Number(line?.split(" ")[1]);
    };
    const maps = await freshMaps(http);
    const watch = await http.watch(maps.path(), { resourceVersion: "0" });
    const before = await numberOf("_count");
    await maps.create("a");
    await maps.create("b");
    await watch.take(2);
    watch.close();
    // An event is counted after it was sent.
    await until("both are counted", async () => ((await numberOf("_count")) >= before + 2 ? true : undefined));
    // All events of this run: none took an hour, as it would where services took their time from different clocks.
    assert.ok((await numberOf("_sum")) < 3600);
  });
}
