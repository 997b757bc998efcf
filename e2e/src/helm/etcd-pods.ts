import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { ApiObject } from "@orch/client/objects.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { type ForeignProgram, startForeignProgram } from "../harness/foreign-program.js";
import { until } from "../harness/until.js";
import { listAt, podsOf } from "./rendered.js";

export interface EtcdPods {
  /** From `host:port` of a member as the chart names it to where it is here. */
  readonly addresses: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface EtcdPodsOptions {
  readonly objects: readonly ApiObject[];
  readonly bundles: string;
  readonly folder: string;
}

const domain = "orch-etcd.orch.svc.cluster.local";

/** Runs the members of the chart's etcd as processes of this machine, with its arguments and certificates. */
export async function startEtcdPods({ objects, bundles, folder }: EtcdPodsOptions): Promise<EtcdPods> {
  const pod = podsOf(objects).find(
    ({ object }) => object.kind === "StatefulSet" && object.metadata.name === "orch-etcd",
  );
  assert.ok(pod);
  const args = listAt(pod.pod, "spec.containers.0.args").map(String);
  const names = Array.from({ length: pod.replicas }, (_, i) => `orch-etcd-${i}`);
  const ports = await freePorts(3 * names.length);
  const portOf = (i: number, of: number): number => ports[3 * i + of] ?? 0;
  // Its certificate is for this name of loopback too.
  const addresses = Object.fromEntries(
    names.flatMap((name, i) =>
      [2379, 2380].map((port, of) => [`${name}.${domain}:${port}`, `localhost:${portOf(i, of)}`]),
    ),
  );
  const running: ForeignProgram[] = [];
  for (const [i, name] of names.entries()) {
    const home = join(folder, name);
    await mkdir(home);
    await symlink(join(bundles, "etcd-member"), join(home, "etcd"));
    const here = args.map((arg) => {
      const named = arg.replaceAll("$(POD_NAME)", name);
      const placed = Object.entries(addresses).reduce((text, [from, to]) => text.replaceAll(from, to), named);
      return placed
        .replace(/0\.0\.0\.0:(\d+)/, (_, port: string) => `127.0.0.1:${portOf(i, Number(port) - 2379)}`)
        .replaceAll("/etc/orch/etcd/", `${home}/etcd/`)
        .replace("/var/lib/etcd", home);
    });
    running.push(startForeignProgram("etcd", here));
  }
  const stop = async (): Promise<void> => {
    for (const member of running) await member.stop();
  };
  try {
    // As the readiness probe asks.
    for (const [i, name] of names.entries()) await until(`${name} is ready`, () => isReady(portOf(i, 2)));
  } catch (error) {
    await stop();
    throw new Error(running.map((member) => member.log().slice(-2000)).join("\n"), { cause: error });
  }
  return { addresses, stop };
}

function isReady(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path: "/health" }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? true : undefined);
    });
    sent.on("error", () => resolve(undefined)).end();
  });
}
