import { PluginFailure } from "@orch/encryption/plugin-keys.js";
import type { PluginReply } from "@orch/rpc/kms-messages.js";
import { kmsHealth, kmsKeySets, kmsUnwrap, kmsWrap } from "@orch/rpc/methods.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Kms } from "./service.js";

/** What other services ask of this one: whoever may call has every key. */
export function registerAnswers(kms: Kms, services: Services): void {
  services.stream(kmsKeySets, (_request, sender) => {
    const stop = kms.follow((keys) => void sender.send(keys));
    sender.onCancel(stop);
  });
  services.unary(kmsUnwrap, (key) => replied(kms.plugins.unwrap(key)));
  services.unary(kmsWrap, ({ provider, key }) => replied(kms.plugins.wrap(provider, key)));
  services.unary(kmsHealth, () => kms.health());
}

async function replied(asked: Promise<Buffer>): Promise<PluginReply> {
  try {
    return { type: "answered", key: await asked };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { type: "failed", failure: error.message, away: error.away };
  }
}
