import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { programs } from "./command-line-program.js";
import { type Credentials, connect, type Http } from "./harness/http.js";
import { startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const profiler: Credentials = { type: "user", name: "profiler" };
const cmdline = "/debug/pprof/cmdline";

describe("profiles of a server", () => {
  let target: Target | undefined;
  let http: Http | undefined;
  let folder = "";
  const on = () => {
    if (target === undefined || http === undefined) throw new Error("not running");
    return { target, http };
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-profiles-"));
    target = await startStandalone({ args: ["--request-timeout=1s"] });
    http = connect(target);
  });
  after(async () => {
    http?.close();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("an administrator gets one, though it takes longer than a request may", async () => {
    const { status, headers, bytes } = await on().http.call({ path: "/debug/pprof/profile", query: { seconds: "2" } });
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/octet-stream");
    const profile = gunzipSync(bytes).toString("latin1");
    for (const text of ["cpu", "nanoseconds", "main thread"]) assert.ok(profile.includes(text), text);
  });

  test("nobody else does, but by a role for these paths", async () => {
    const { http, target } = on();
    const strangers: readonly Credentials[] = [
      { type: "anonymous" },
      { type: "token", token: target.strangerToken },
      profiler,
    ];
    for (const as of strangers) {
      for (const path of [cmdline, "/debug/pprof/", "/debug/pprof/profile"]) {
        assert.equal((await http.call({ path, as })).status, 403, `${as.type} ${path}`);
      }
    }
    const group = target.naming.group("rbac.authorization");
    const roles = `/apis/${group}/v1`;
    const metadata = { name: "profiler" };
    const rules = [{ nonResourceURLs: ["/debug/pprof/*"], verbs: ["get"] }];
    const role = await http.post(`${roles}/clusterroles`, { metadata, rules });
    assert.equal(role.status, 201, role.text);
    const binding = await http.post(`${roles}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "profiler" },
      subjects: [{ apiGroup: group, kind: "User", name: "profiler" }],
    });
    assert.equal(binding.status, 201, binding.text);
    const { text } = await until("the role is in force", async () => {
      const answer = await http.call({ path: cmdline, as: profiler });
      return answer.status === 200 ? answer : undefined;
    });
    assert.ok(text.split("\0").includes("--request-timeout=1s"));
  });

  test("what Node.js cannot tell is unknown, and a wrong time is refused", async () => {
    const { http } = on();
    const unknown = await http.call({ path: "/debug/pprof/goroutine" });
    assert.deepEqual([unknown.status, unknown.text], [404, "Unknown profile\n"]);
    assert.equal((await http.call({ path: "/debug/pprof/heap", query: { seconds: "301" } })).status, 400);
  });

  test("there are none with --profiling=false", async () => {
    const without = await startStandalone({ args: ["--profiling=false"] });
    try {
      const { status, text } = await connect(without).call({ path: cmdline });
      assert.deepEqual([status, text], [404, "404 page not found\n"]);
    } finally {
      await without.stop();
    }
  });

  const components = [
    ["scheduler", "orchscheduler.config", "v1", "OrchSchedulerConfiguration", (text: string) => text],
    ["controller-manager", "orchcontrollermanager.config", "v1alpha1", "OrchControllerManagerConfiguration", debugging],
    [
      "cloud-controller-manager",
      "cloudcontrollermanager.config",
      "v1alpha1",
      "CloudControllerManagerConfiguration",
      debugging,
    ],
  ] as const;
  for (const [name, group, version, kind, within] of components) {
    test(`the ${name} serves them unless its configuration says otherwise`, async () => {
      const { target } = on();
      const start = async (what: string, fields: string): Promise<Process> => {
        const { naming } = target;
        const file = join(folder, `${name}-${what}.yaml`);
        const head = `apiVersion: ${naming.configurationGroup(group)}/${version}\nkind: ${naming.configurationWord(kind)}\n`;
        await writeFile(file, `${head}${within(fields)}\n`);
        const cloud = name === "cloud-controller-manager" ? ["--cloud-provider=simulated"] : [];
        const args = [name, `--orchconfig=${target.clientConfig}`, "--metrics-port=0", `--config=${file}`, ...cloud];
        return startProcess({
          name,
          script: programs.orch,
          args: [...args, `--api-dialect=${naming.dialect}`],
          sameAgain: () => [],
        });
      };
      const [usual, without] = await Promise.all([
        start("usual", "enableContentionProfiling: true"),
        start("without", "enableProfiling: false"),
      ]);
      try {
        const ask = async (process: Process) => {
          const answer = await fetch(`http://${process.addresses["metrics"]}${cmdline}`);
          return [answer.status, (await answer.text()).split("\0")[0]];
        };
        assert.deepEqual(await ask(usual), [200, `orch-${name}`]);
        assert.match(usual.log(), /enableContentionProfiling is not acted on: Node\.js has no profile of contention/);
        assert.deepEqual(await ask(without), [404, "404 page not found\n"]);
        assert.doesNotMatch(without.log(), /not acted on/);
      } finally {
        await Promise.all([usual.stop(), without.stop()]);
      }
    });
  }
});

function debugging(fields: string): string {
  return `Generic: {Debugging: {${fields}}}`;
}
