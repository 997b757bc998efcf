import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMachine } from "../machine/machine.js";
import { unitOfManifest } from "./manifest.js";
import { runnerPaths } from "./runner-paths.js";
import { createSystemdRunner } from "./systemd-runner.js";
import { systemdUnit } from "./systemd-unit.js";
import { podText } from "./testing/pod.js";

const folder = mkdtempSync(join(tmpdir(), "orchadm-systemd-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const wicked = unitOfManifest(
  podText({
    name: "etcd",
    command: ["/usr/bin/env", `--name=$HOME $${"{A}"}`, 'say "100%"', "back\\slash", "two\nlines", ""],
    container: { env: [{ name: "A", value: '% "q" $x \\' }], securityContext: { runAsUser: 5, runAsGroup: 6 } },
    spec: { terminationGracePeriodSeconds: 7 },
  }),
);

test("a service file gives systemd the very words of the manifest", () => {
  assert.equal(
    systemdUnit(wicked, "/"),
    `[Unit]
Description=etcd
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0
X-Manifest-Hash=${wicked.hash}

[Service]
ExecStart="/usr/bin/env" "--name=$$HOME $\${A}" "say \\"100%%\\"" "back\\\\slash" "two\\nlines" ""
Environment="A=%% \\"q\\" $x \\\\"
WorkingDirectory=/
User=5
Group=6
Restart=always
RestartSec=1
RestartSteps=9
RestartMaxDelaySec=300
TimeoutStopSec=7

[Install]
WantedBy=multi-user.target
`,
  );
  const odd = { ...wicked, command: "@/bin/sh" };
  assert.throws(() => systemdUnit(odd, "/"), { message: 'etcd: systemd cannot run "@/bin/sh"' });
});

const hasSystemd = ((): boolean => {
  try {
    execFileSync("systemd-analyze", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test("systemd finds nothing wrong with it", { skip: hasSystemd ? false : "needs systemd-analyze" }, () => {
  const file = join(folder, "orch-etcd.service");
  writeFileSync(file, systemdUnit(wicked, "/"));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
  // Older releases pass over keys that they do not know.
  const problems = stderr
    .split("\n")
    .filter((line) => line.includes(file) && !/RestartSteps|RestartMaxDelaySec/.test(line));
  assert.deepEqual([status, problems], [0, []]);
});

describe("the runner on systemd", () => {
  const machine = createMachine(folder);
  const naming = createNaming("orch");
  const paths = runnerPaths(machine, naming);
  const asked: string[] = [];
  let answer = "";
  const runner = createSystemdRunner({
    ...{ machine, paths, prefix: "orch-" },
    systemctl: async (args) => {
      asked.push(args.join(" "));
      return { how: "done", output: Buffer.from(args[0] === "show" ? answer : "") };
    },
  });
  const commands = (): readonly string[] => asked.splice(0);
  const manifest = (name: string, ...command: readonly string[]): string => {
    mkdirSync(paths.manifests, { recursive: true });
    const text = podText({ name, command });
    writeFileSync(join(paths.manifests, `${name}.yaml`), text);
    return text;
  };

  test("writes a service for each manifest, enables and starts it", async () => {
    manifest("etcd", "etcd");
    manifest("orch-scheduler", "orch", "scheduler");
    await runner.begin();
    assert.deepEqual(commands(), [
      ...["daemon-reload", "enable --now orch-etcd.service", "restart orch-etcd.service"],
      ...["daemon-reload", "enable --now orch-scheduler.service", "restart orch-scheduler.service"],
    ]);
    assert.deepEqual(machine.list("/etc/systemd/system"), ["orch-etcd.service", "orch-scheduler.service"]);
  });

  test("leaves alone what runs as it is, and starts anew what changed", async () => {
    await runner.begin();
    assert.deepEqual(commands(), ["enable --now orch-etcd.service", "enable --now orch-scheduler.service"]);
    await runner.start(unitOfManifest(manifest("etcd", "etcd", "--debug")));
    assert.deepEqual(commands(), ["daemon-reload", "enable --now orch-etcd.service", "restart orch-etcd.service"]);
  });

  test("tells what systemd says of them", async () => {
    answer = [
      "Id=orch-scheduler.service\nActiveState=activating\nSubState=auto-restart\nMainPID=0\nNRestarts=4",
      "Id=orch-etcd.service\nActiveState=active\nSubState=running\nMainPID=4711\nNRestarts=0\n",
    ].join("\n\n");
    const [etcd, scheduler] = await runner.list();
    assert.deepEqual([etcd?.name, etcd?.state, etcd?.pid, etcd?.restarts], ["etcd", "running", 4711, 0]);
    assert.deepEqual([scheduler?.name, scheduler?.state, scheduler?.restarts], ["orch-scheduler", "waiting", 4]);
    assert.match(scheduler?.hash ?? "", /^[0-9a-f]{64}$/);
    assert.equal(await runner.status("other"), undefined);
    commands();
  });

  test("ends its own services alone and leaves no file of them", async () => {
    machine.write("/etc/systemd/system/orch-other.service", "[Unit]\nDescription=somebody's\n");
    rmSync(join(paths.manifests, "orch-scheduler.yaml"));
    await runner.begin();
    assert.deepEqual(commands(), [
      ...["disable --now orch-scheduler.service", "daemon-reload"],
      "enable --now orch-etcd.service",
    ]);
    manifest("orch-apiserver", "orch", "serve");
    await runner.begin();
    commands();
    await runner.end();
    assert.deepEqual(commands(), [
      ...["disable --now orch-apiserver.service", "daemon-reload"],
      ...["disable --now orch-etcd.service", "daemon-reload"],
    ]);
    assert.deepEqual(machine.list("/etc/systemd/system"), ["orch-other.service"]);
  });

  test("tells what systemctl could not do", async () => {
    const broken = createSystemdRunner({
      ...{ machine, paths, prefix: "orch-" },
      systemctl: async () => ({ how: "failed", why: "ended with exit code 1" }),
    });
    await assert.rejects(broken.begin(), { message: "systemctl daemon-reload: ended with exit code 1" });
  });
});
