import { isDeepStrictEqual } from "node:util";
import type { Handlers } from "@orch/client/object-store.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue, type Outcome } from "@orch/client/work-queue.js";
import type { Controller, ControllerName } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { leftOf, signedData, tokenOf } from "./tokens.js";

const secrets = { group: "", version: "v1", resource: "secrets" };

/** Timers of more than some weeks are none. */
const longestMs = 24 * 3_600_000;

/** A view of the tokens by which machines join. */
function viewOfTokens(name: ControllerName, tools: ControllerTools, handlers: Handlers<ReturnType<typeof tokenOf>>) {
  const { mirror, naming } = tools;
  return mirror.view({
    collection: { ...secrets, namespace: naming.systemName("system") },
    fieldSelector: `type=bootstrap.${naming.key("token")}`,
    sees: "objects",
    keep: tokenOf,
    handlers,
    onError: failureTeller(tools, name),
  });
}

/** Deletes tokens that are over. */
export function createTokenCleaner(tools: ControllerTools): Controller {
  const name = "token-cleaner-controller";
  const { client, clock, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  return {
    async run(signal) {
      const work = async (key: string, working: AbortSignal): Promise<Outcome> => {
        const token = tokens.store.get(key);
        const left = token === undefined ? undefined : leftOf(token, clock.now());
        if (token === undefined || left === undefined) return "done";
        if (left > 0) return { againAfterMs: Math.min(left, longestMs) };
        const { name: of = "", uid = "" } = token.metadata;
        const collection = { ...secrets, namespace: naming.systemName("system") };
        await client.delete(collection, of, { preconditions: { uid }, signal: working }).catch(unlessPast);
        return "done";
      };
      const queue = createWorkQueue<string>({
        ...{ workers: 1, work, clock, observer: telemetry.queue("token_cleaner") },
        onError: (error, key) => failed(error, { secret: key }),
      });
      const look = (secret: ApiObject): void => queue.add(keyOf(secret));
      const tokens = viewOfTokens(name, tools, { added: look, modified: look });
      await Promise.all([tokens.run(signal), queue.run(signal)]);
    },
  };
}

/** Signs what says how the cluster is reached, so that who knows a token can trust it. */
export function createBootstrapSigner(tools: ControllerTools): Controller {
  const name = "bootstrap-signer-controller";
  const { client, clock, mirror, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const collection = { group: "", version: "v1", resource: "configmaps", namespace: naming.systemName("public") };
  return {
    async run(signal) {
      const work = async (key: string, working: AbortSignal): Promise<Outcome> => {
        const info: SignedMap | undefined = infos.store.get(key);
        if (info === undefined) return "done";
        const data = signedData(info.data ?? {}, tokens.store.values(), { now: clock.now(), content: "kubeconfig" });
        if (!isDeepStrictEqual(data, info.data ?? {})) {
          await client.update(collection, { apiVersion: "v1", kind: "ConfigMap", ...info, data }, { signal: working });
        }
        // A token that is over signs no more.
        const left = [...tokens.store.values()].map((token) => leftOf(token, clock.now()) ?? 0).filter((ms) => ms > 0);
        return left.length === 0 ? "done" : { againAfterMs: Math.min(longestMs, ...left) };
      };
      const queue = createWorkQueue<string>({
        ...{ workers: 1, work, clock, observer: telemetry.queue("bootstrap_signer_queue") },
        onError: (error) => failed(error),
      });
      const look = (): void => queue.add(`${collection.namespace}/cluster-info`);
      const tokens = viewOfTokens(name, tools, { added: look, modified: look, deleted: look });
      const infos = mirror.view({
        ...{ collection, sees: "objects", keep: withoutManagers, onError: failed },
        fieldSelector: "metadata.name=cluster-info",
        handlers: { added: look, modified: look },
      });
      const following = [tokens.run(signal), infos.run(signal)];
      await Promise.race([Promise.all([tokens.synced, infos.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}

interface SignedMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}
