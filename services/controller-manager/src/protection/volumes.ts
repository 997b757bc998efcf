import { protectionOf } from "@orch/api/kinds/core/volume-protection.js";
import { isRecord } from "@orch/client/objects.js";
import type { Controller } from "../controller.js";
import { createProtectionController, type ProtectionTools } from "./protection-controller.js";

const resource = "persistentvolumes";

/** Volumes stay while they are bound to a claim. */
export function createVolumeProtectionController(tools: ProtectionTools): Controller {
  return createProtectionController(
    {
      name: "persistentvolume-protection-controller",
      queue: "pvprotection",
      collection: { group: "", version: "v1", resource },
      finalizer: protectionOf(resource, tools.naming) ?? "",
      keep: ({ status }) => ({ bound: isRecord(status) && status["phase"] === "Bound" }),
      isUsed: (volume) => volume["bound"] === true,
    },
    tools,
  );
}
