import type { Client } from "@orch/client/http/http.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { bundleFiles } from "./bundles.js";
import type { Bundle, CertificatePlace } from "./place.js";

/** The cluster that runs the pods is no matter of this one's dialect: its names are the usual ones. */
export const host = createNaming("kubernetes");

export interface SecretOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Stands before the names of bundles. */
  readonly prefix: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A Secret for each bundle, of the type that other issuers of certificates give theirs. */
export function certificateSecrets({ client, namespace, prefix, labels }: SecretOptions): CertificatePlace {
  const secrets = { group: "", version: "v1", resource: "secrets", namespace };
  const seen = new Map<string, ApiObject>();
  return {
    async read(name) {
      const secret = await client.get(secrets, prefix + name).catch((error: unknown) => {
        if (ApiError.from(error).reason === "NotFound") return undefined;
        throw error;
      });
      if (secret === undefined) return undefined;
      seen.set(name, secret);
      const data = isRecord(secret["data"]) ? secret["data"] : {};
      const texts = bundleFiles.flatMap((file) => {
        const value = data[file];
        return typeof value === "string" ? [[file, Buffer.from(value, "base64").toString("utf8")]] : [];
      });
      return Object.fromEntries(texts);
    },
    async write(name, bundle: Bundle) {
      const data = Object.fromEntries(
        Object.entries(bundle).map(([file, text]) => [file, Buffer.from(text).toString("base64")]),
      );
      const before = seen.get(name);
      // With the version that was read: of two that run at once one fails and begins anew.
      if (before !== undefined) await client.update(secrets, { ...before, data });
      else {
        const metadata = { name: prefix + name, namespace, labels };
        const type = host.key("tls");
        await client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, type, data });
      }
    },
  };
}
