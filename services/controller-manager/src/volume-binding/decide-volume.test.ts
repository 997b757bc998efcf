import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { decideVolume } from "./decide-volume.js";
import { bindingWords, type Claim, type Volume } from "./types.js";

const words = bindingWords(createNaming("kubernetes"));
const ref = { namespace: "ns", name: "c", uid: "u" };
const claim = (volumeName?: string, uid = "u", volumeMode = "Filesystem"): Claim => ({
  metadata: { name: "c", namespace: "ns", uid },
  spec: { volumeMode, ...(volumeName === undefined ? {} : { volumeName }) },
});
const byDriver = { "pv.kubernetes.io/provisioned-by": "example.com/disks" };
const builtIn = { "pv.kubernetes.io/provisioned-by": "kubernetes.io/glusterfs" };

/** `v` in a phase. */
const volume = (phase: string | undefined, spec: Volume["spec"], annotations = {}): Volume => ({
  metadata: { name: "v", annotations },
  spec: { persistentVolumeReclaimPolicy: "Retain", ...spec },
  ...(phase === undefined ? {} : { status: { phase } }),
});
const deleted = { claimRef: ref, persistentVolumeReclaimPolicy: "Delete" };

function decide(of: Volume, found: Claim | undefined, asked: boolean): string {
  const actions = decideVolume(of, { words, claim: found, asked }).map((action) => {
    if (action.do === "phase") return `${action.phase}${action.event === undefined ? "" : ` ${action.event.reason}`}`;
    return action.do;
  });
  return actions.join(", ");
}

type Row = readonly [what: string, volume: Volume, claim: Claim | undefined, is: string, asked?: boolean];
const rows: readonly Row[] = [
  ["new and without a claim", volume(undefined, {}), undefined, "Available"],
  ["free", volume("Available", {}), undefined, ""],
  ["set aside", volume("Pending", { claimRef: { namespace: "ns", name: "c" } }), undefined, "Available"],
  ["of a claim that was not seen", volume("Available", { claimRef: ref }), undefined, "askForClaim"],
  ["of a claim that is gone", volume("Bound", { claimRef: ref }), undefined, "Released", true],
  ["of a claim that is another one by now", volume("Bound", { claimRef: ref }), claim("v", "x"), "askForClaim"],
  ["of another one, as the server says", volume("Bound", { claimRef: ref }), claim("v", "x"), "Released", true],
  ["released and kept", volume("Released", { claimRef: ref }), undefined, ""],
  ["of a claim that has it", volume("Available", { claimRef: ref }), claim("v"), "Bound"],
  ["bound", volume("Bound", { claimRef: ref }), claim("v"), ""],
  ["of a claim without a volume", volume("Available", { claimRef: ref }), claim(), "lookAtClaim"],
  ["of a claim of another mode", volume("Available", { claimRef: ref }), claim(undefined, "u", "Block"), "mismatch"],
  ["of a claim with another volume", volume("Available", { claimRef: ref }), claim("w"), "unbind"],
  ["made for a claim with another volume", volume("Bound", deleted, byDriver), claim("w"), "Released"],
  ["released, to be deleted by its driver", volume("Released", deleted, byDriver), undefined, ""],
  [
    "released, to be deleted by nobody",
    volume("Bound", deleted),
    undefined,
    "Released, Failed VolumeFailedDelete",
    true,
  ],
  ["released, of a driver", volume("Released", { ...deleted, csi: { driver: "d" } }), undefined, ""],
  ["released, of what is no driver", volume("Released", deleted, builtIn), undefined, "Failed VolumeFailedDelete"],
  ["failed", volume("Failed", deleted), undefined, ""],
  [
    "to be recycled",
    volume("Bound", { claimRef: ref, persistentVolumeReclaimPolicy: "Recycle" }),
    undefined,
    "Released, Failed VolumeFailedRecycle",
    true,
  ],
];
for (const [what, of, found, is, asked = false] of rows) {
  test(`a volume ${what}${asked ? ", the server was asked" : ""}: ${is === "" ? "stays" : is}`, () => {
    assert.equal(decide(of, found, asked), is);
  });
}

test("a volume that nobody deletes says so", () => {
  const [, failed] = decideVolume(volume("Bound", deleted), { words, claim: undefined, asked: true });
  const message = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched';
  const event = { type: "Warning", reason: "VolumeFailedDelete", message };
  assert.deepEqual(failed, { do: "phase", phase: "Failed", message, event });
});
