import type { Naming } from "@orch/naming/naming.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { checkResources } from "./check-resources.js";
import type { LocalCipher } from "./configuration.js";
import { type ConfigurationDraft, type KeyDraft, type KmsDraft, localCiphers, type ProviderDraft } from "./draft.js";
import { socketPathOf } from "./endpoint.js";

export interface CheckOptions {
  readonly naming: Naming;
  /** The file is read again when it changes: names of plugins are unique then, whatever their version. */
  readonly reload: boolean;
}

const keyLengths: Readonly<Record<LocalCipher, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};

/** What is wrong with a file, in its order. */
export function checkDraft(draft: ConfigurationDraft, options: CheckOptions): readonly FieldError[] {
  if (draft.resources.length === 0) return [atLeastOne("resources", "resources")];
  const names = new Set<string>();
  return draft.resources.flatMap((rule, i) => {
    const [resources, providers] = [`resources[${i}].resources`, `resources[${i}].providers`];
    return [
      ...(rule.resources.length === 0 ? [atLeastOne(resources, resources)] : []),
      ...checkResources(rule.resources, resources, options.naming),
      ...(rule.providers.length === 0 ? [atLeastOne(providers, providers)] : []),
      ...rule.providers.flatMap((provider, j) => checkProvider(provider, `${providers}[${j}]`, { ...options, names })),
    ];
  });
}

const atLeastOne = (field: string, what: string): FieldError =>
  fieldError.required(field, `at least one ${what} is required`);

interface Seen extends CheckOptions {
  /** Of the plugins so far. */
  readonly names: Set<string>;
}

function checkProvider(provider: ProviderDraft, field: string, seen: Seen): readonly FieldError[] {
  const { kms, local } = provider;
  return [
    ...checkSingle(provider, field),
    ...(kms === undefined ? [] : checkKms(kms, `${field}.kms`, seen)),
    ...localCiphers.flatMap((cipher) => {
      const keys = local[cipher];
      return keys === undefined ? [] : checkKeys(keys, `${field}.${cipher}.keys`, keyLengths[cipher]);
    }),
  ];
}

function checkSingle({ kms, local, identity }: ProviderDraft, field: string): readonly FieldError[] {
  const given = [
    ...(kms === undefined ? [] : ["kms"]),
    ...localCiphers.filter((cipher) => local[cipher] !== undefined),
    ...(identity ? ["identity"] : []),
  ];
  if (given.length === 1) return [];
  // Only the names: what stands below them is secret.
  if (given.length > 1) {
    const detail = "more than one provider specified in a single element, should split into different list elements";
    return [fieldError.invalid(field, given, detail)];
  }
  const known = "KMS, AESGCM, AESCBC, Secretbox, Identity";
  return [fieldError.invalid(field, {}, `provider does not contain any of the expected providers: ${known}`)];
}

function checkKeys(keys: readonly KeyDraft[], field: string, lengths: readonly number[]): readonly FieldError[] {
  if (keys.length === 0) return [atLeastOne(field, "keys")];
  return keys.flatMap(({ name, secret }, i) => {
    const problem = problemWithSecret(secret, `${field}[${i}].secret`, lengths);
    return [
      ...(name === "" ? [mandatory(`${field}[${i}].name`, "name", "key")] : []),
      ...(problem === undefined ? [] : [problem]),
    ];
  });
}

const mandatory = (field: string, what: string, of: string): FieldError =>
  fieldError.required(field, `${what} is a mandatory field for a ${of}`);

function problemWithSecret(secret: string, field: string, lengths: readonly number[]): FieldError | undefined {
  if (secret === "") return mandatory(field, "secret", "key");
  const bytes = decodeSecret(secret);
  if (bytes === undefined) return fieldError.invalid(field, "REDACTED", "secrets must be base64 encoded");
  if (lengths.includes(bytes.length)) return undefined;
  const expected = `expected one of [${lengths.join(" ")}]`;
  return fieldError.invalid(
    field,
    "REDACTED",
    `secret is not of the expected length, got ${bytes.length}, ${expected}`,
  );
}

/** Base64 with its padding; line ends in it do not count. Undefined where it is none. */
export function decodeSecret(text: string): Buffer | undefined {
  const plain = text.replaceAll("\n", "").replaceAll("\r", "");
  const bytes = Buffer.from(plain, "base64");
  return bytes.toString("base64") === plain ? bytes : undefined;
}

function checkKms(kms: KmsDraft, field: string, seen: Seen): readonly FieldError[] {
  return [
    ...checkName(kms, `${field}.name`, seen),
    ...(kms.timeoutMs === undefined || kms.timeoutMs > 0
      ? []
      : [fieldError.invalid(`${field}.timeout`, formatMs(kms.timeoutMs), "timeout should be a positive value")]),
    ...checkEndpoint(kms.endpoint, `${field}.endpoint`),
    ...checkCacheSize(kms, `${field}.cachesize`),
    ...(["", "v1", "v2"].includes(kms.apiVersion)
      ? []
      : [
          fieldError.invalid(
            `${field}.apiVersion`,
            kms.apiVersion,
            "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported",
          ),
        ]),
  ];
}

function checkName({ name, apiVersion }: KmsDraft, field: string, { names, reload }: Seen): readonly FieldError[] {
  if (name === "") return [mandatory(field, "name", "provider")];
  const isOfV1 = apiVersion === "v1" || apiVersion === "";
  const isDuplicate = names.has(name) && (reload || !isOfV1);
  names.add(name);
  return [
    ...(!isOfV1 && name.includes(":")
      ? [fieldError.invalid(field, name, `invalid KMS provider name ${name}, must not contain ':'`)]
      : []),
    ...(isDuplicate
      ? [fieldError.invalid(field, name, `duplicate KMS provider name ${name}, names must be unique`)]
      : []),
  ];
}

function checkEndpoint(endpoint: string, field: string): readonly FieldError[] {
  if (endpoint === "") return [fieldError.invalid(field, "", "endpoint is a mandatory field for a kms")];
  const path = socketPathOf(endpoint);
  return path.ok ? [] : [fieldError.invalid(field, endpoint, path.problem)];
}

function checkCacheSize({ cacheSize, apiVersion }: KmsDraft, field: string): readonly FieldError[] {
  if (cacheSize === undefined) return [];
  if (apiVersion === "v2") return [fieldError.invalid(field, cacheSize, "cachesize is not supported in v2")];
  if (cacheSize !== 0) return [];
  return [fieldError.invalid(field, 0, "cachesize should be a positive value, or negative to disable")];
}
