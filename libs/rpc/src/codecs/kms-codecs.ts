import { ApiError } from "@orch/status/api-error.js";
import { kms as kmsProto } from "../../generated/kms.js";
import type {
  HealthReply,
  KmsKeySet,
  KmsProvider,
  KmsRule,
  KmsWriteKey,
  PluginReply,
  UnwrapRequest,
  WrapRequest,
} from "../kms-messages.js";
import { asBuffer } from "../wire.js";
import { generatedCodec } from "./codec.js";

const { v1: kms } = kmsProto;

const none = Buffer.alloc(0);
/** A copy: keys outlive the message in which they came. */
const ownBytes = (bytes: Uint8Array | null | undefined): Buffer => (bytes ? Buffer.from(asBuffer(bytes)) : none);

const types: Readonly<Record<KmsProvider["type"], kmsProto.v1.ProviderType>> = {
  identity: kms.ProviderType.IDENTITY,
  aescbc: kms.ProviderType.AESCBC,
  aesgcm: kms.ProviderType.AESGCM,
  secretbox: kms.ProviderType.SECRETBOX,
  "kms-v1": kms.ProviderType.KMS_V1,
  "kms-v2": kms.ProviderType.KMS_V2,
};
const typeNames: readonly KmsProvider["type"][] = ["identity", "aescbc", "aesgcm", "secretbox", "kms-v1", "kms-v2"];

function providerToWire(provider: KmsProvider): kmsProto.v1.Provider.$Properties {
  const type = types[provider.type];
  switch (provider.type) {
    case "identity":
      return { type };
    case "kms-v1":
      return { type, name: provider.name, cacheSize: provider.cacheSize };
    case "kms-v2":
      return { type, name: provider.name, write: writeToWire(provider.write), why: provider.why };
    default:
      return { type, keys: provider.keys.map(({ name, secret }) => ({ name, secret })) };
  }
}

function writeToWire(write: KmsWriteKey | undefined): kmsProto.v1.WriteKey.$Properties | null {
  return write === undefined ? null : { ...write, annotations: { ...write.annotations } };
}

function providerFromWire(m: kmsProto.v1.Provider.$Properties): KmsProvider {
  const type = typeNames.find((name) => types[name] === m.type);
  switch (type) {
    case undefined:
      throw new ApiError("BadRequest", `unknown type ${m.type ?? 0} of a provider of keys`);
    case "identity":
      return { type };
    case "kms-v1":
      return { type, name: m.name ?? "", cacheSize: m.cacheSize ?? 0 };
    case "kms-v2":
      return { type, name: m.name ?? "", write: writeFromWire(m.write), why: m.why ?? "" };
    default:
      return { type, keys: (m.keys ?? []).map(({ name, secret }) => ({ name: name ?? "", secret: ownBytes(secret) })) };
  }
}

function writeFromWire(m: kmsProto.v1.WriteKey.$Properties | null | undefined): KmsWriteKey | undefined {
  if (m === null || m === undefined) return undefined;
  return {
    seed: ownBytes(m.seed),
    keyId: m.keyId ?? "",
    wrapped: ownBytes(m.wrapped),
    annotations: annotationsFrom(m.annotations),
    type: m.type ?? 0,
  };
}

function annotationsFrom(map: { readonly [name: string]: Uint8Array } | null | undefined): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(map ?? {}).map(([name, value]) => [name, ownBytes(value)]));
}

const ruleToWire = ({ resources, providers }: KmsRule): kmsProto.v1.Rule.$Properties => ({
  resources: [...resources],
  providers: providers.map(providerToWire),
});

export const keySetCodec = generatedCodec<KmsKeySet, kmsProto.v1.KeySet.$Properties>(kms.KeySet, {
  to: ({ rules }) => ({ rules: rules.map(ruleToWire) }),
  from: (m) => ({
    rules: (m.rules ?? []).map(({ resources, providers }) => ({
      resources: resources ?? [],
      providers: (providers ?? []).map(providerFromWire),
    })),
  }),
});

export const unwrapRequestCodec = generatedCodec<UnwrapRequest, kmsProto.v1.UnwrapRequest.$Properties>(
  kms.UnwrapRequest,
  {
    to: ({ version, annotations, provider, wrapped, keyId }) => ({
      provider,
      wrapped,
      keyId,
      version: version === "v1" ? kms.KmsVersion.V1 : kms.KmsVersion.V2,
      annotations: { ...annotations },
    }),
    from: (m) => ({
      provider: m.provider ?? "",
      version: m.version === kms.KmsVersion.V1 ? "v1" : "v2",
      wrapped: ownBytes(m.wrapped),
      keyId: m.keyId ?? "",
      annotations: annotationsFrom(m.annotations),
    }),
  },
);

export const wrapRequestCodec = generatedCodec<WrapRequest, kmsProto.v1.WrapRequest.$Properties>(kms.WrapRequest, {
  to: ({ provider, key }) => ({ provider, key }),
  from: (m) => ({ provider: m.provider ?? "", key: ownBytes(m.key) }),
});

export const pluginReplyCodec = generatedCodec<PluginReply, kmsProto.v1.PluginReply.$Properties>(kms.PluginReply, {
  to: (value) => (value.type === "answered" ? { key: value.key } : { failure: value.failure, away: value.away }),
  from: (m) =>
    m.failure
      ? { type: "failed", failure: m.failure, away: m.away ?? false }
      : { type: "answered", key: ownBytes(m.key) },
});

export const healthReplyCodec = generatedCodec<HealthReply, kmsProto.v1.HealthReply.$Properties>(kms.HealthReply, {
  to: ({ checks, reloads }) => ({ checks: checks.map(({ name, reason }) => ({ name, reason })), reloads }),
  from: (m) => ({
    checks: (m.checks ?? []).map(({ name, reason }) => ({ name: name ?? "", reason: reason ?? "" })),
    reloads: m.reloads ?? false,
  }),
});
