import { fileURLToPath } from "node:url";
import { startProcess } from "@orch/deploy/process.js";
import { once } from "../load/load.js";
import { startStandalone, type Target, type TargetOptions } from "../targets.js";
import { endpointOf, eventually, namespace } from "./cluster.js";

const sizes = 50;
const senders = 16;
const pollMs = 200;
const storageClassName = "bench";
const accessModes = ["ReadWriteOnce"];

const script = fileURLToPath(new URL("../../../services/controller-manager/dist/main.js", import.meta.url));

/** How long a controller manager that comes to so many claims and free volumes takes from its start until all are bound. */
export async function benchBinding(options: TargetOptions, count: number): Promise<string> {
  const target = await startStandalone({ ...options, controllers: false });
  const [volumes, claims] = ["/api/v1/persistentvolumes", `${namespace}/persistentvolumeclaims`];
  try {
    await createAll(target, volumes, count, (i) => ({
      metadata: { name: `v${i}` },
      spec: { accessModes, storageClassName, hostPath: { path: "/" }, capacity: { storage: sizeOf(i) } },
    }));
    await whileBinding(target, () => allIn(target, volumes, "Available", count));
    await createAll(target, claims, count, (i) => ({
      metadata: { name: `c${i}` },
      spec: { accessModes, storageClassName, resources: { requests: { storage: sizeOf(i) } } },
    }));
    const began = performance.now();
    let seconds = "";
    await whileBinding(target, async () => {
      await allIn(target, claims, "Bound", count);
      seconds = ((performance.now() - began) / 1000).toFixed(1);
    });
    return `binding: ${count} claims of ${sizes} sizes are bound ${seconds} s after the start of the controller manager`;
  } finally {
    await target.stop();
  }
}

async function whileBinding(
  target: Awaited<ReturnType<typeof startStandalone>>,
  run: () => Promise<void>,
): Promise<void> {
  const controllers = "--controllers=persistentvolume-binder-controller";
  const args = [`--orchconfig=${target.clientConfig}`, "--metrics-port=0", "--leader-elect=false", controllers];
  const manager = await startProcess({ name: "controller-manager", script, args, sameAgain: () => [] });
  try {
    await run();
  } finally {
    await manager.stop();
  }
}

const sizeOf = (i: number): string => `${1 + (i % sizes)}Gi`;

async function createAll(target: Target, path: string, count: number, objectOf: (i: number) => object): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < count) {
      const body = JSON.stringify(objectOf(next++));
      const { code } = await once(endpointOf(target), { method: "POST", path, body });
      if (code !== 201) throw new Error(`${path}: a create was answered with ${code}`);
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
}

async function allIn(target: Target, path: string, phase: string, count: number): Promise<void> {
  const is = new RegExp(`"phase":"${phase}"`, "g");
  await eventually(`${count} objects that are ${phase}`, pollMs, async () => {
    const { body } = await once(endpointOf(target), { method: "GET", path: `${path}?resourceVersion=0` });
    return [...(body?.toString() ?? "").matchAll(is)].length === count;
  });
}
