import type { Pod } from "../rim/pods.js";
import type { Told } from "../volume-binding/types.js";

const warning = (message: string): Told => ({ type: "Warning", reason: "FailedAttachVolume", message });

/** For a pod whose volume is on other nodes: who has it, where it is known. */
export function multiAttachEvent(volume: string, pod: Pod, users: readonly Pod[]): Told {
  const about = `Multi-Attach error for volume ${JSON.stringify(volume)} `;
  if (users.length === 0) {
    return warning(`${about}Volume is already exclusively attached to one node and can't be attached to another`);
  }
  const local = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace);
  const others = users.length - local.length;
  const elsewhere = `${others} pod(s) in different namespaces`;
  if (local.length === 0) return warning(`${about}Volume is already used by ${elsewhere}`);
  const names = local.map(({ metadata }) => metadata.name).join(", ");
  return warning(`${about}Volume is already used by pod(s) ${names}${others > 0 ? ` and ${elsewhere}` : ""}`);
}

export const attachFailed = (volume: string, problem: string): Told =>
  warning(`AttachVolume.Attach failed for volume ${JSON.stringify(volume)} : ${problem}`);

export const attached = (volume: string): Told => ({
  ...{ type: "Normal", reason: "SuccessfulAttachVolume" },
  message: `AttachVolume.Attach succeeded for volume ${JSON.stringify(volume)} `,
});
