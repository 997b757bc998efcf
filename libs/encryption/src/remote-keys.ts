import type { KmsKeySet, PluginReply } from "@orch/rpc/kms-messages.js";
import { kmsHealth, kmsKeySets, kmsUnwrap, kmsWrap } from "@orch/rpc/methods.js";
import type { Caller, Subscription } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import type { KeyService } from "./key-service.js";
import { PluginFailure } from "./plugin-keys.js";

export interface RemoteKeysDeps {
  readonly clock: Pick<Clock, "after">;
  readonly log: (what: string, error: unknown) => void;
}

/** More than a plugin may take by itself. */
const deadlineMs = 30_000;
const againMs = 500;

/** The keys of services/kms in another process. While that is away, the last ones count. */
export function remoteKeys(caller: Pick<Caller, "call" | "open">, { clock, log }: RemoteKeysDeps): KeyService {
  return {
    follow(run) {
      let stopped = false;
      let isAway = false;
      let subscription: Subscription | undefined;
      let cancel = (): void => {};
      const open = (): void => {
        const receiver = {
          message(keys: KmsKeySet) {
            isAway = false;
            run(keys);
          },
          end(error?: ApiError) {
            if (stopped) return;
            // One line for as long as it is away.
            if (!isAway) log("the service of keys is away; the keys at hand stay in use", error);
            isAway = true;
            cancel = clock.after(againMs, open);
          },
        };
        subscription = caller.open(kmsKeySets, {}, receiver);
      };
      open();
      return () => {
        stopped = true;
        cancel();
        subscription?.cancel();
      };
    },
    health: () => caller.call(kmsHealth, {}, { deadlineMs }),
    plugins: {
      unwrap: (key) => asked(caller.call(kmsUnwrap, key, { deadlineMs })),
      wrap: (provider, key) => asked(caller.call(kmsWrap, { provider, key }, { deadlineMs })),
    },
  };
}

async function asked(reply: Promise<PluginReply>): Promise<Buffer> {
  const answered = await reply.catch((error: unknown) => {
    throw new PluginFailure(ApiError.from(error).message, true);
  });
  if (answered.type === "answered") return answered.key;
  throw new PluginFailure(answered.failure, answered.away);
}
