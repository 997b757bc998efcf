import { v1beta1, v2 } from "../../generated/kms_plugin.js";
import type { PluginMethod } from "./connection.js";

/** The answers of plugins as plain values. */
export interface PluginStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface Encrypted {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Buffer>>;
}

export interface DecryptRequest {
  readonly ciphertext: Buffer;
  readonly uid: string;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Buffer>>;
}

const own = (bytes: Uint8Array | null | undefined): Buffer => Buffer.from(bytes ?? []);

export function annotationsOf(map: { readonly [name: string]: Uint8Array } | null | undefined): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(map ?? {}).map(([name, value]) => [name, own(value)]));
}

export const statusOf2: PluginMethod<Record<string, never>, PluginStatus> = {
  path: "/v2.KeyManagementService/Status",
  encode: (request) => v2.StatusRequest.encode(request).finish(),
  decode(bytes) {
    const { version, healthz, keyId } = v2.StatusResponse.decode(bytes);
    return { version: version ?? "", healthz: healthz ?? "", keyId: keyId ?? "" };
  },
};

export const encrypt2: PluginMethod<{ readonly plaintext: Buffer; readonly uid: string }, Encrypted> = {
  path: "/v2.KeyManagementService/Encrypt",
  encode: (request) => v2.EncryptRequest.encode(request).finish(),
  decode(bytes) {
    const { ciphertext, keyId, annotations } = v2.EncryptResponse.decode(bytes);
    return { ciphertext: own(ciphertext), keyId: keyId ?? "", annotations: annotationsOf(annotations) };
  },
};

export const decrypt2: PluginMethod<DecryptRequest, Buffer> = {
  path: "/v2.KeyManagementService/Decrypt",
  encode: ({ annotations, ...rest }) => v2.DecryptRequest.encode({ ...rest, annotations: { ...annotations } }).finish(),
  decode: (bytes) => own(v2.DecryptResponse.decode(bytes).plaintext),
};

/** The only version of the older protocol. */
const version = "v1beta1";

export const version1: PluginMethod<Record<string, never>, string> = {
  path: "/v1beta1.KeyManagementService/Version",
  encode: () => v1beta1.VersionRequest.encode({ version }).finish(),
  decode: (bytes) => v1beta1.VersionResponse.decode(bytes).version ?? "",
};

export const encrypt1: PluginMethod<Buffer, Buffer> = {
  path: "/v1beta1.KeyManagementService/Encrypt",
  encode: (plain) => v1beta1.EncryptRequest.encode({ version, plain }).finish(),
  decode: (bytes) => own(v1beta1.EncryptResponse.decode(bytes).cipher),
};

export const decrypt1: PluginMethod<Buffer, Buffer> = {
  path: "/v1beta1.KeyManagementService/Decrypt",
  encode: (cipher) => v1beta1.DecryptRequest.encode({ version, cipher }).finish(),
  decode: (bytes) => own(v1beta1.DecryptResponse.decode(bytes).plain),
};
