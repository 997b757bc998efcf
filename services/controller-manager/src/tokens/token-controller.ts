import { legacyTokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import {
  accounts,
  dropReference,
  ownerOf,
  type SecretRules,
  secretRules,
  secrets,
  settleSecret,
} from "./token-secrets.js";

export interface TokenControllerConfig {
  /** PEM: signs the tokens (`--service-account-private-key-file`). */
  readonly signingKeyPem: string;
  /** PEM bundle that goes into the secrets too (`--root-ca-file`). */
  readonly rootCa: string | undefined;
  /** Secrets that are worked on at once. */
  readonly workers: number;
}

const name = "serviceaccount-token-controller";

/**
 * Fills the Secrets that ask for a token of a service account, and deletes those whose account is gone.
 * @throws TypeError for a key that cannot sign
 */
export function createTokenController(config: TokenControllerConfig, tools: ControllerTools): Controller {
  const { client, mirror, clock, naming, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const issuer = legacyTokenIssuer({ naming, signingKeyPem: config.signingKeyPem });
  const rules = secretRules(naming, config.rootCa);
  return {
    async run(signal) {
      const known = mirror.view({
        collection: accounts,
        sees: "metadata",
        onError: failed,
        keep: identityOnly,
        handlers: { deleted: (account) => orphaned(account) },
      });
      const held = mirror.view({
        collection: secrets,
        sees: "objects",
        onError: failed,
        fieldSelector: `type=${rules.type}`,
        keep: (secret) => withoutData(secret, rules),
        handlers: {
          added: (secret) => queue.add(keyOf(secret)),
          modified: (secret) => queue.add(keyOf(secret)),
          deleted: (secret) => unlisted(secret),
        },
      });
      const deps = { client, issuer, rules, known: known.store };
      const queue = createWorkQueue<string>({
        workers: config.workers,
        work: (key, working) => settleSecret(held.store.get(key), deps, working),
        clock,
        observer: telemetry.queue("serviceaccount_tokens_secret"),
        onError: (error, key) => failed(error, { secret: key }),
      });
      /** Of secrets that are gone: what their accounts still list. */
      const references = createWorkQueue<string>({
        workers: 1,
        work: (key, working) => dropReference(key, { client, held: held.store }, working),
        clock,
        observer: telemetry.queue("serviceaccount_tokens_service"),
        onError: (error, key) => failed(error, { reference: key }),
      });
      const orphaned = ({ metadata }: ApiObject): void => {
        for (const [key, secret] of held.store) {
          const owner = ownerOf(secret, rules);
          if (secret.metadata.namespace === metadata.namespace && owner.name === metadata.name) queue.add(key);
        }
      };
      const unlisted = (secret: ApiObject): void => {
        const owner = ownerOf(secret, rules);
        const { name: secretName, namespace } = secret.metadata;
        if (known.store.has(`${namespace}/${owner.name}`)) {
          references.add(JSON.stringify([namespace, owner.name, owner.uid, secretName]));
        }
      };
      const following = [known.run(signal), held.run(signal)];
      await Promise.race([Promise.all([known.synced, held.synced]), ...following]);
      await Promise.all([...following, queue.run(signal), references.run(signal)]);
    },
  };
}

/** Whose secret it is, and whether anything is missing: its data stays where it is. */
function withoutData(secret: ApiObject, rules: SecretRules): ApiObject {
  const { uid, name: accountName } = ownerOf(secret, rules);
  const annotations = { [rules.accountName]: accountName, [rules.accountUid]: uid };
  const { metadata } = identityOnly(secret);
  return { metadata: { ...metadata, annotations }, complete: rules.missing(secret) === undefined };
}
