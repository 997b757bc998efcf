import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { attached, attachFailed, multiAttachEvent } from "./attachment-events.js";
import { type Attachment, type AttachmentNode, type AttachmentState, decideAttachments } from "./decide-attachments.js";
import { attachmentName, isExclusive, uniqueName } from "./types.js";

const node = (more: Partial<AttachmentNode> = {}): AttachmentNode => ({
  ...{ managed: true, ready: true, outOfService: false, inUse: false, reported: false },
  ...more,
});
const on = (name: string, more: Partial<Attachment> = {}): Attachment => ({
  ...{ name: `on-${name}`, node: name, attached: true, going: false, ours: true },
  ...more,
});
const minutes = (count: number): number => count * 60_000;

type Nodes = Readonly<Record<string, AttachmentNode>>;
type Row = readonly [
  what: string,
  wanted: readonly string[],
  attachments: readonly Attachment[],
  nodes: Nodes,
  is: string,
  more?: Partial<AttachmentState>,
];
const free = { exclusive: false };
const rows: readonly Row[] = [
  ["a pod wants it", ["a"], [], { a: node() }, "attach a"],
  ["its agent attaches by itself", ["a"], [], { a: node({ managed: false }) }, ""],
  ["its node is not there", ["a"], [], {}, ""],
  ["it is being attached", ["a"], [on("a", { attached: false })], { a: node() }, ""],
  ["it was attached", ["a"], [on("a")], { a: node() }, "report a"],
  ["its node knows", ["a"], [on("a")], { a: node({ reported: true }) }, ""],
  ["two nodes want it", ["a", "b"], [], { a: node(), b: node() }, "attach a, refuse b"],
  ["two nodes may have it", ["a", "b"], [], { a: node(), b: node() }, "attach a, attach b", free],
  ["another node has it", ["b"], [on("a", { going: true })], { a: node(), b: node() }, "refuse b"],
  ["nobody wants it, its node knows", [], [on("a")], { a: node({ reported: true }) }, "report a"],
  ["nobody wants it, its node was told", [], [on("a")], { a: node() }, "detach on-a"],
  ["nobody wants it, its node uses it", [], [on("a")], { a: node({ inUse: true, reported: true }) }, ""],
  ["a silent node uses it", [], [on("a")], { a: node({ inUse: true, ready: false }) }, "lookAgain 360000"],
  [
    "a silent node has used it for six minutes",
    [],
    [on("a")],
    { a: node({ inUse: true, ready: false }) },
    "detach on-a",
    { unwantedMs: () => minutes(6) },
  ],
  [
    "a node that is well has used it for an hour",
    [],
    [on("a")],
    { a: node({ inUse: true }) },
    "",
    { unwantedMs: () => minutes(60) },
  ],
  ["it is never taken", [], [on("a")], { a: node({ inUse: true, ready: false }) }, "", { forceAfterMs: undefined }],
  ["a node out of service uses it", [], [on("a")], { a: node({ inUse: true, outOfService: true }) }, "detach on-a"],
  ["its node is gone", [], [on("a")], {}, "detach on-a"],
  ["somebody else attached it", [], [on("a", { ours: false })], { a: node() }, ""],
  ["its agent detaches by itself", [], [on("a")], { a: node({ managed: false }) }, ""],
  ["it goes already", [], [on("a", { going: true })], { a: node() }, ""],
  ["it moves", ["b"], [on("a")], { a: node(), b: node() }, "detach on-a, refuse b"],
];
for (const [what, wanted, attachments, nodes, is, more = {}] of rows) {
  test(`a volume when ${what}: ${is === "" ? "nothing" : is}`, () => {
    const actions = decideAttachments({
      ...{ wanted, attachments, exclusive: true, unwantedMs: () => 0, forceAfterMs: minutes(6) },
      nodeNamed: (name) => nodes[name],
      ...more,
    });
    const shown = actions.map((action) => {
      if (action.do === "detach") return `detach ${action.attachment}`;
      return action.do === "lookAgain" ? `lookAgain ${action.afterMs}` : `${action.do} ${action.node}`;
    });
    assert.equal(shown.join(", "), is);
  });
}

test("names are those of the reference", () => {
  const volume = { metadata: { name: "v" }, spec: { csi: { driver: "disks.example.com", volumeHandle: "vol-1" } } };
  assert.equal(uniqueName(volume, createNaming("kubernetes")), "kubernetes.io/csi/disks.example.com^vol-1");
  // printf vol-1disks.example.comn1 | sha256sum
  assert.equal(attachmentName(volume, "n1"), "csi-d2ea54b257cec63d326d5e1bcf5c87960d714dbfcc7136291e8a392820db0484");
  const modes = (...accessModes: readonly string[]) => isExclusive({ metadata: {}, spec: { accessModes } });
  assert.deepEqual([modes("ReadWriteOnce"), modes("ReadWriteOnce", "ReadOnlyMany"), modes()], [true, false, false]);
});

test("texts", () => {
  const pod = (name: string, namespace = "ns") => ({ metadata: { name, namespace } });
  const text = (...users: ReturnType<typeof pod>[]) => multiAttachEvent("v", pod("p"), users).message;
  const start = 'Multi-Attach error for volume "v" Volume is already ';
  assert.equal(text(), `${start}exclusively attached to one node and can't be attached to another`);
  assert.equal(text(pod("q"), pod("r")), `${start}used by pod(s) q, r`);
  assert.equal(text(pod("q"), pod("x", "y")), `${start}used by pod(s) q and 1 pod(s) in different namespaces`);
  assert.equal(text(pod("x", "y")), `${start}used by 1 pod(s) in different namespaces`);
  assert.equal(attachFailed("v", "no room").message, 'AttachVolume.Attach failed for volume "v" : no room');
  assert.equal(attached("v").reason, "SuccessfulAttachVolume");
});
