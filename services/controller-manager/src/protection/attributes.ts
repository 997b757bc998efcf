import { identityOnly } from "@orch/client/metadata-only.js";
import type { View } from "@orch/client/mirror.js";
import type { Index } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Controller } from "../controller.js";
import { failureTeller } from "../tools.js";
import { createProtectionController, type ProtectionTools } from "./protection-controller.js";
import { attributesOf } from "./uses.js";

const name = "volumeattributesclass-protection-controller";

interface AttributesUser extends ApiObject {
  readonly classes: readonly string[];
}

const byClass: Index<AttributesUser> = ({ classes }) => classes;

/** Classes of volumes' attributes stay while a claim or a volume has them, or is on its way to or from them. */
export function createAttributesProtectionController(tools: ProtectionTools): Controller {
  const { mirror, naming } = tools;
  let users: readonly View<AttributesUser>[] = [];
  return createProtectionController(
    {
      name,
      queue: "vacprotection",
      collection: { group: naming.group("storage"), version: "v1beta1", resource: "volumeattributesclasses" },
      finalizer: naming.key("vac-protection"),
      keep: () => ({}),
      isUsed({ metadata }) {
        return users.some((view) => [...view.byIndex(byClass, metadata.name ?? "")].length > 0);
      },
      users(look) {
        const lookAtThoseOf = (user: AttributesUser): void => {
          for (const each of user.classes) look(each);
        };
        users = ["persistentvolumeclaims", "persistentvolumes"].map((resource) =>
          mirror.view({
            collection: { group: "", version: "v1", resource },
            sees: "objects",
            keep: (object): AttributesUser => ({ ...identityOnly(object), classes: attributesOf(object) }),
            indexes: [byClass],
            handlers: {
              modified: (_object, before) => lookAtThoseOf(before),
              deleted: (_object, before) => lookAtThoseOf(before),
            },
            onError: failureTeller(tools, name),
          }),
        );
        return {
          run: async (signal) => void (await Promise.all(users.map((view) => view.run(signal)))),
          synced: Promise.all(users.map(({ synced }) => synced)).then(() => undefined),
        };
      },
    },
    tools,
  );
}
