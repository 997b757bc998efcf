import { identityOnly } from "@orch/client/metadata-only.js";
import type { Controller } from "./controller.js";
import { createNamespaceController } from "./in-every-namespace.js";
import type { ControllerTools } from "./tools.js";
import { unlessThere } from "./unless-there.js";

const account = "default";
const accounts = { group: "", version: "v1", resource: "serviceaccounts" };

/** Keeps a service account `default` in every namespace that is not being deleted. */
export function createServiceAccountController(tools: ControllerTools): Controller {
  return createNamespaceController(
    {
      name: "serviceaccount-controller",
      queue: "serviceaccount",
      collection: accounts,
      objectName: account,
      sees: "metadata",
      keep: identityOnly,
      async ensure(namespace, known, signal) {
        if (known !== undefined) return;
        const metadata = { name: account, namespace };
        await tools.client.create({ ...accounts, namespace }, { metadata }, { signal }).catch(unlessThere);
      },
    },
    tools,
  );
}
