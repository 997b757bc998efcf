import { podEdges, refOf } from "@orch/auth/node/edges.js";
import { listAll } from "@orch/client/list-all.js";
import { keyOf } from "@orch/client/object-store.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { pause } from "@orch/client/pause.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Controller } from "../controller.js";
import { accounts, secretRules, secrets } from "../tokens/token-secrets.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { decideToken, isTrackedEnough, type TokenDecision, type TokenSecret } from "./decide-tokens.js";

export interface LegacyTokenConfig {
  /** For how long a token must have been unused. */
  readonly periodMs: number;
}

const name = "legacy-serviceaccount-token-cleaner-controller";
const core = (resource: string) => ({ group: "", version: "v1", resource });
const roundMs = 24 * 3_600_000;
const retryMs = 60_000;

/** Makes tokens of Secrets invalid that nobody has used for a year, and deletes them after another one. */
export function createLegacyTokenCleaner({ periodMs }: LegacyTokenConfig, tools: ControllerTools): Controller {
  const { client, clock, naming } = tools;
  const failed = failureTeller(tools, name);
  const words = {
    lastUsed: naming.key("legacy-token-last-used"),
    invalidSince: naming.key("legacy-token-invalid-since"),
  };
  const { type, accountName } = secretRules(naming, undefined);
  const tracking = `${naming.systemName("apiserver")}-legacy-service-account-token-tracking`;

  const carryOut = async (secret: TokenSecret, decision: TokenDecision, signal: AbortSignal): Promise<void> => {
    if (decision === "keep") return;
    const { name: of = "", namespace = "", uid = "", resourceVersion = "" } = secret.metadata;
    const place = { ...secrets, namespace };
    if (decision === "delete") {
      const preconditions = { uid, resourceVersion };
      await client.delete(place, of, { preconditions, signal }).catch(unlessPast);
      tools.log.info({ secret: keyOf(secret) }, "an unused token of a service account was deleted");
      return;
    }
    const body = { metadata: { uid, resourceVersion, labels: { [words.invalidSince]: decision.invalidSince } } };
    await client.patch(place, of, { type: patchTypes.merge, body, signal }).catch(unlessPast);
  };
  const round = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const system = { ...core("configmaps"), namespace: naming.systemName("system") };
    const map = await client.get(system, tracking, { signal }).catch(unlessPast);
    const data = map?.["data"];
    if (!isTrackedEnough(isRecord(data) ? data["since"] : undefined, { now, periodMs })) return;
    // Once a day: read now, and nothing of it is kept.
    const { items } = await listAll(client, secrets, { fieldSelector: `type=${type}`, signal });
    const candidates: readonly TokenSecret[] = items;
    if (candidates.length === 0) return;
    const listed = listedSecrets((await listAll(client, accounts, { signal })).items);
    const mounted = mountedSecrets((await listAll(client, core("pods"), { signal })).items, naming);
    for (const secret of candidates) {
      const { namespace = "", name: of = "", annotations = {} } = secret.metadata;
      const decision = decideToken(secret, {
        ...{ words, now, periodMs },
        isListed: () => listed.has(`${namespace}/${annotations[accountName] ?? ""}/${of}`),
        isMounted: () => mounted.has(refOf("secret", namespace, of)),
      });
      await carryOut(secret, decision, signal);
    }
  };
  return {
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = Math.min(roundMs, periodMs);
        await round(signal).catch((error) => {
          if (!signal.aborted) failed(error);
          waitMs = Math.min(retryMs, waitMs);
        });
        // A period of nothing is for tests: it is not looked without a pause.
        await pause(Math.max(waitMs, 1_000), { clock, signal });
      }
    },
  };
}

/** `namespace/account/secret` of what accounts list. */
function listedSecrets(all: readonly ApiObject[]): ReadonlySet<string> {
  const listed = new Set<string>();
  for (const account of all) {
    const { secrets: own } = account;
    if (!Array.isArray(own)) continue;
    for (const each of own) if (isRecord(each)) listed.add(`${keyOf(account)}/${String(each["name"])}`);
  }
  return listed;
}

function mountedSecrets(pods: readonly ApiObject[], naming: Naming): ReadonlySet<string> {
  // Of a pod without a node what it names counts as well.
  const onSome = (pod: ApiObject) => ({
    ...pod,
    spec: { ...(isRecord(pod["spec"]) ? pod["spec"] : {}), nodeName: "*" },
  });
  return new Set(pods.flatMap((pod) => podEdges(onSome(pod), naming)?.refs ?? []));
}
