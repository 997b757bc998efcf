import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { createAttachDetachController } from "./attach-detach-controller.js";
import { attachmentName } from "./types.js";

const spec = {
  ...{ accessModes: ["ReadWriteOnce"], claimRef: { namespace: "ns", name: "c", uid: "uid-c" } },
  csi: { driver: "disks.example.com", volumeHandle: "vol-1" },
};
const managed = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };

function setup() {
  const server = createMemoryServer();
  const tools = memoryTools(server, createNaming("kubernetes"));
  server.put("persistentvolumes/v", { spec });
  server.put("persistentvolumeclaims/ns/c", { spec: { volumeName: "v" }, status: { phase: "Bound" } });
  for (const node of ["a", "b"]) server.put(`nodes/${node}`, { metadata: { annotations: managed } });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "c" } }];
  return {
    server,
    controller: createAttachDetachController({ periodMs: undefined, forces: true }, tools),
    podOn: (name: string, nodeName: string) => server.put(`pods/ns/${name}`, { spec: { nodeName, volumes } }),
    at: (node: string) => server.at(`volumeattachments/${attachmentName({ metadata: {}, spec }, node)}`),
  };
}

test("a volume of one node at a time is attached to one, and to the other when the first is done with it", async (t) => {
  const { server, controller, podOn, at } = setup();
  runController(t, controller);
  podOn("p", "a");
  podOn("q", "b");
  await until(() => at("a") !== undefined || at("b") !== undefined, "one attachment");
  const [first, second] = at("a") === undefined ? ["b", "a"] : ["a", "b"];
  assert.equal(at(second ?? ""), undefined);
  server.remove(`pods/ns/${first === "a" ? "p" : "q"}`);
  await until(() => at(second ?? "") !== undefined, "it has moved");
  assert.equal(at(first ?? ""), undefined);
});

test("a volume stays as long as its node uses it, and a driver may need no attachment", async (t) => {
  const { server, controller, podOn, at } = setup();
  const node = (volumesInUse: readonly string[]) =>
    server.put("nodes/a", { metadata: { annotations: managed }, status: { volumesInUse } });
  const other = { csi: { driver: "other.example.com", volumeHandle: "vol-2" } };
  server.put("persistentvolumes/w", { spec: { ...other, claimRef: { namespace: "ns", name: "d", uid: "uid-d" } } });
  server.put("persistentvolumeclaims/ns/d", { spec: { volumeName: "w" } });
  server.put("pods/ns/other", {
    spec: { nodeName: "b", volumes: [{ name: "data", persistentVolumeClaim: { claimName: "d" } }] },
  });
  server.put("csidrivers/other.example.com", { spec: { attachRequired: false } });
  node(["kubernetes.io/csi/disks.example.com^vol-1"]);
  podOn("p", "a");
  runController(t, controller);
  await until(() => at("a") !== undefined, "an attachment");
  const ofOther = `volumeattachments/${attachmentName({ metadata: {}, spec: other }, "b")}`;
  assert.equal(server.at(ofOther), undefined);
  server.put("csidrivers/disks.example.com", { spec: { attachRequired: false } });
  server.put("csidrivers/other.example.com", {});
  // One watch tells of both: by now the first was heard of, too.
  await until(() => server.at(ofOther) !== undefined, "the other's attachment");
  assert.ok(at("a"), "its node has not let go of it");
  node([]);
  await until(() => at("a") === undefined, "it is detached");
});
