import type { Profile } from "../framework/profile.js";
import { failed, type Rejection } from "../framework/status.js";
import type { PodInfo } from "../model/pod-info.js";

/** What keeps a pod out of the queue. A plugin that throws does, until an event that it waits for. */
export function gateOf(profile: Pick<Profile, "preEnqueue"> | undefined, pod: PodInfo): Rejection | undefined {
  for (const { name, preEnqueue } of profile?.preEnqueue ?? []) {
    try {
      const rejection = preEnqueue(pod);
      if (rejection !== undefined) return rejection;
    } catch (error) {
      return failed(name, error instanceof Error ? error.message : String(error));
    }
  }
  return undefined;
}
