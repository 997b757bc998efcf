import { readDocument, strictProblem, unknownKind } from "@orch/codec/configuration-document.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";
import { checkDraft, decodeSecret } from "./check-draft.js";
import {
  type EncryptionConfiguration,
  kmsProviders,
  type LocalCipher,
  type NamedKey,
  type ProviderConfiguration,
} from "./configuration.js";
import { type ConfigurationDraft, type KeyDraft, type KmsDraft, localCiphers, type ProviderDraft } from "./draft.js";
import { socketPathOf } from "./endpoint.js";
import { maskedRule } from "./masked-rule.js";
import { readDraft } from "./read-draft.js";

export interface ReadOptions {
  readonly naming: Naming;
  /** Feature gate KMSv1. */
  readonly allowsV1: boolean;
  /** The file is read again when it changes. */
  readonly reload: boolean;
}

export type ReadConfiguration =
  | { readonly ok: true; readonly configuration: EncryptionConfiguration }
  /** A sentence for the person who starts the program; it holds no secret. */
  | { readonly ok: false; readonly problem: string };

const kind = "EncryptionConfiguration";
const defaultTimeoutMs = 3_000;
const defaultCacheSize = 1_000;

/** Reads the text of `--encryption-provider-config`, YAML or JSON; `path` is shown in problems. */
export function readConfiguration(text: string, path: string, options: ReadOptions): ReadConfiguration {
  const refuse = (problem: string): ReadConfiguration => ({ ok: false, problem });
  const file = JSON.stringify(path);
  if (text.length === 0) {
    return refuse(
      `error while parsing file: error while loading file: encryption provider configuration file ${file} is empty`,
    );
  }
  const draft = draftOf(text, options.naming);
  if (!draft.ok) {
    return refuse(
      `error while parsing file: error decoding encryption provider configuration file ${file}: ${draft.problem}`,
    );
  }
  const errors = checkDraft(draft.value, options);
  if (errors.length > 0) return refuse(`error while parsing file: ${textOf(errors)}`);
  const configuration = configurationOf(draft.value);
  const problem = problemOfBuilding(configuration, options);
  return problem === undefined ? { ok: true, configuration } : refuse(`error while building transformers: ${problem}`);
}

type Draft =
  | { readonly ok: true; readonly value: ConfigurationDraft }
  | { readonly ok: false; readonly problem: string };

function draftOf(text: string, naming: Naming): Draft {
  const refuse = (problem: string): Draft => ({ ok: false, problem });
  const read = readDocument(text);
  if (!read.ok) return refuse(read.problem);
  const { fields: file, apiVersion, kind: given } = read.document;
  const isOlder = given === "EncryptionConfig" && apiVersion === "v1";
  if (!isOlder && (given !== kind || apiVersion !== `${naming.group("apiserver.config")}/v1`)) {
    return refuse(unknownKind(read.document));
  }
  const problems = [...read.document.problems];
  const draft = readDraft(file, problems);
  const [bad] = problems.filter((problem) => problem.startsWith("time: "));
  if (bad !== undefined) return refuse(bad);
  return problems.length === 0 ? { ok: true, value: draft } : refuse(strictProblem(problems));
}

function textOf(errors: readonly FieldError[]): string {
  const each = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return each.length === 1 ? each.join() : `[${each.join(", ")}]`;
}

function configurationOf({ resources }: ConfigurationDraft): EncryptionConfiguration {
  return {
    rules: resources.map(({ resources, providers }) => ({ resources, providers: providers.flatMap(providerOf) })),
  };
}

function providerOf({ kms, local, identity }: ProviderDraft): readonly ProviderConfiguration[] {
  return [
    ...(kms === undefined ? [] : [kmsOf(kms)]),
    ...localCiphers.flatMap((type: LocalCipher) => {
      const keys = local[type];
      return keys === undefined ? [] : [{ type, keys: keys.flatMap(keyOf) }];
    }),
    ...(identity ? [{ type: "identity" } as const] : []),
  ];
}

function keyOf({ name, secret }: KeyDraft): readonly NamedKey[] {
  const bytes = decodeSecret(secret);
  return bytes === undefined ? [] : [{ name, secret: bytes }];
}

function kmsOf({ apiVersion, name, endpoint, timeoutMs, cacheSize }: KmsDraft): ProviderConfiguration {
  const path = socketPathOf(endpoint);
  return {
    type: "kms",
    version: apiVersion === "v2" ? "v2" : "v1",
    name,
    socketPath: path.ok ? path.path : "",
    timeoutMs: timeoutMs ?? defaultTimeoutMs,
    cacheSize: cacheSize ?? defaultCacheSize,
  };
}

function problemOfBuilding(configuration: EncryptionConfiguration, { allowsV1 }: ReadOptions): string | undefined {
  if (!allowsV1 && kmsProviders(configuration).some(({ version }) => version === "v1")) {
    return "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.";
  }
  return maskedRule(configuration);
}
