import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { issueServing } from "@orch/pki/certificates.js";
import { buildGoProgram } from "./clients/go-program.js";
import { execute } from "./clients/program.js";
import { type ForeignProgram, startForeignProgram } from "./harness/foreign-program.js";
import { connect, type Http } from "./harness/http.js";
import { kubectlMissing } from "./harness/kubectl.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

// kubectl's own clients of what nodes answer: with simulated nodes, and with an agent made of a kubelet's streaming server.

const pods = "/api/v1/namespaces/default/pods";

describe("kubectl and nodes", () => {
  let missing: string | undefined;
  let noAgent: string | undefined;
  let folder = "";
  let target: StandaloneTarget;
  let http: Http;
  let agent: ForeignProgram | undefined;

  before(async () => {
    missing = await kubectlMissing();
    if (missing !== undefined) return;
    folder = await mkdtemp(join(tmpdir(), "orch-nodes-"));
    const args = ["--simulate-nodes=1", "--disable-admission-plugins=ServiceAccount"];
    target = await startStandalone({ args });
    http = connect(target);
    await made(pods, {
      metadata: { name: "sim", annotations: { "sim.kubernetes.io/exec-exit-code": "3" } },
      spec: { nodeName: "node-0", containers: [{ name: "c", image: "i" }] },
    });
    await until("the simulated pod runs", async () => {
      const phase = (await http.get(`${pods}/sim`)).at("status.phase");
      return phase === "Running" || undefined;
    });
    noAgent = await startAgent();
  });
  after(async () => {
    http?.close();
    await agent?.stop();
    await target?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function made(path: string, object: object): Promise<void> {
    const { status, text } = await http.post(path, object);
    assert.equal(status, 201, text);
  }

  /** The agent of the node `real`, with the pod `real`. */
  async function startAgent(): Promise<string | undefined> {
    const program = join(folder, "agent");
    const why = await buildGoProgram({ module: "agent", package: ".", to: program });
    if (why !== undefined) return why;
    const { ca, paths } = target.pki;
    const authority = { certificate: ca, key: await readFile(paths.caKey, "utf8") };
    const { certificate, key } = await issueServing(authority, ["127.0.0.1"], Date.now());
    const files = { cert: join(folder, "agent.crt"), key: join(folder, "agent.key") };
    await Promise.all([writeFile(files.cert, certificate), writeFile(files.key, key)]);
    const started = startForeignProgram(program, [files.cert, files.key, paths.ca]);
    agent = started;
    const port = await until("the agent listens", () => /listening on (\d+)/.exec(started.log())?.[1]);
    await made("/api/v1/nodes", { metadata: { name: "real" } });
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: Number(port) } },
    };
    assert.equal((await http.patch("/api/v1/nodes/real/status", "merge", { status })).status, 200);
    const containers = [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }];
    await made(pods, { metadata: { name: "real" }, spec: { nodeName: "real", containers } });
    const running = { status: { phase: "Running" } };
    assert.equal((await http.patch(`${pods}/real/status`, "merge", running)).status, 200);
    return undefined;
  }

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    ...{ KUBECONFIG: target.clientConfig, HOME: folder },
    ...more,
  });
  const command = (...args: string[]) => ["kubectl", `--cache-dir=${join(folder, "cache")}`, ...args];

  async function kubectl(args: readonly string[], { code = 0, input = "", env = {} } = {}): Promise<string> {
    const [program = "", ...rest] = command(...args);
    const child = spawn(program, rest, { env: { ...process.env, ...environment(env) }, timeout: 120_000 });
    child.stdin.on("error", () => {}).end(input);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
    const [exit] = await once(child, "close");
    assert.equal(exit, code, `kubectl ${args.join(" ")}: ${text}`);
    return text;
  }

  /** Until it has said what is waited for; then it is ended. */
  async function spoken(args: readonly string[], wanted: RegExp): Promise<string> {
    const [program = "", ...rest] = command(...args);
    const child = spawn(program, rest, { env: { ...process.env, ...environment() } });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
    try {
      return await until(`${args.join(" ")} says ${wanted}: ${text}`, () => (wanted.test(text) ? text : undefined));
    } finally {
      child.kill();
      await once(child, "exit");
    }
  }

  /** A test that needs kubectl, and with `real` the agent of others. */
  function withKubectl(name: string, run: (t: TestContext) => Promise<void>, real = false): void {
    test(name, async (t) => {
      const why = missing ?? (real ? noAgent : undefined);
      if (why !== undefined) return t.skip(`SKIPPED: ${why}`);
      return await run(t);
    });
  }

  withKubectl("logs of a simulated pod grow while they are followed", async () => {
    assert.match(
      await kubectl(["logs", "sim"]),
      /^default\/sim\/c: started; this container is simulated and nothing runs\n/,
    );
    assert.match(
      await kubectl(["logs", "sim", "--tail=1", "--timestamps"]),
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.0+Z .*\n$/,
    );
    await spoken(["logs", "-f", "sim", "--tail=1"], /(?:.*\n){2}/);
    assert.match(await kubectl(["logs", "sim", "-c", "x"], { code: 1 }), /container x is not valid for pod sim/);
    assert.match(
      await kubectl(["logs", "sim", "--previous"], { code: 1 }),
      /previous terminated container "c" in pod "sim"/,
    );
  });

  withKubectl("a command in a simulated pod ends with the code of the annotation", async () => {
    const text = await kubectl(["exec", "sim", "--", "ls", "-l"], { code: 3 });
    assert.match(text, /nothing runs in c of default\/sim on node-0; not done: ls -l\n/);
    assert.match(await kubectl(["exec", "-i", "sim", "--", "cat"], { code: 3, input: "hello\n" }), /\nhello\n/);
    await spoken(["attach", "sim"], /second \d+\n/);
  });

  withKubectl(
    "a kubelet's streaming server runs commands, over SPDY where it knows no newer protocol",
    async () => {
      for (const KUBECTL_REMOTE_COMMAND_WEBSOCKETS of ["true", "false"]) {
        const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS };
        const text = await kubectl(["exec", "-i", "real", "--", "cat", "0"], { env, input: "x".repeat(200_000) });
        assert.match(text, /cat 0 in c of real tty=false\n/);
        assert.match(text, /to errors\n/);
        assert.ok(text.includes("x".repeat(100)), "its input comes back");
        assert.match(await kubectl(["exec", "real", "--", "false", "7"], { code: 7, env }), /exit code 7/);
        assert.match(await kubectl(["attach", "real"], { env }), /attached 0 in c of real/);
      }
    },
    true,
  );

  withKubectl(
    "a port is forwarded, many connections of it at once",
    async () => {
      const [program = "", ...rest] = command("port-forward", "pod/real", ":80");
      const child = spawn(program, rest, { env: { ...process.env, ...environment() } });
      let text = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
      try {
        const port = await until("the port is open", () => /127\.0\.0\.1:(\d+) -> 80/.exec(text)?.[1]);
        const talk = async (said: string): Promise<string> => {
          const socket = dial(Number(port), "127.0.0.1");
          const parts: Buffer[] = [];
          socket.on("data", (part: Buffer) => void parts.push(part));
          socket.end(said);
          await once(socket, "close");
          return Buffer.concat(parts).toString();
        };
        const said = Array.from({ length: 8 }, (_, i) => String(i).repeat(50_000));
        assert.deepEqual(
          await Promise.all(said.map(talk)),
          said.map((one) => `port 80\n${one}`),
          text,
        );
      } finally {
        child.kill();
        await once(child, "exit");
      }
    },
    true,
  );

  withKubectl("a port of a simulated pod is forwarded to a server that has nothing to say", async () => {
    const [program = "", ...rest] = command("port-forward", "pod/sim", ":80");
    const child = spawn(program, rest, { env: { ...process.env, ...environment() } });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
    try {
      const port = await until("the port is open", () => /127\.0\.0\.1:(\d+) -> 80/.exec(text)?.[1]);
      for (let i = 0; i < 3; i++) {
        const answer = await fetch(`http://127.0.0.1:${port}/x`);
        assert.equal(await answer.text(), "simulated: nothing listens at port 80 of default/sim\n", text);
      }
    } finally {
      child.kill();
      await once(child, "exit");
    }
  });

  withKubectl("what speaks to an agent without the server's certificate is refused", async () => {
    const port = (await http.get("/api/v1/nodes/node-0")).at("status.daemonEndpoints.kubeletEndpoint.Port");
    const url = `https://127.0.0.1:${port}/containerLogs/default/sim/c`;
    const { output } = await execute(["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", url]);
    assert.match(output, /^401/);
  });
});
