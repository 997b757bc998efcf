import {
  checkNames,
  duration,
  inner,
  objects,
  type Place,
  text,
  texts,
  wholeNumber,
} from "@orch/codec/configuration-fields.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ConfigurationDraft, KeyDraft, KmsDraft, ProviderDraft, RuleDraft } from "./draft.js";

/** A decoded file's fields; unknown ones and wrong types are told, as strict decoding does. */
export function readDraft(file: JsonObject, problems: string[]): ConfigurationDraft {
  const root: Place = { fields: file, path: "", problems };
  checkNames(root, ["apiVersion", "kind", "resources"]);
  return { resources: objects(root, "resources").map(readRule) };
}

function readRule(rule: Place): RuleDraft {
  checkNames(rule, ["resources", "providers"]);
  return { resources: texts(rule, "resources"), providers: objects(rule, "providers").map(readProvider) };
}

function readProvider(provider: Place): ProviderDraft {
  checkNames(provider, ["aesgcm", "aescbc", "secretbox", "identity", "kms"]);
  const keysOf = (name: string): readonly KeyDraft[] | undefined => {
    const place = inner(provider, name, ["keys"]);
    return place && objects(place, "keys").map(readKey);
  };
  const [aesgcm, aescbc, secretbox] = ["aesgcm", "aescbc", "secretbox"].map(keysOf);
  const kms = inner(provider, "kms", ["apiVersion", "name", "cachesize", "endpoint", "timeout"]);
  return {
    identity: inner(provider, "identity", []) !== undefined,
    local: {
      ...(aesgcm === undefined ? {} : { aesgcm }),
      ...(aescbc === undefined ? {} : { aescbc }),
      ...(secretbox === undefined ? {} : { secretbox }),
    },
    kms: kms && readKms(kms),
  };
}

function readKey(key: Place): KeyDraft {
  checkNames(key, ["name", "secret"]);
  return { name: text(key, "name"), secret: text(key, "secret") };
}

function readKms(kms: Place): KmsDraft {
  return {
    apiVersion: text(kms, "apiVersion"),
    name: text(kms, "name"),
    endpoint: text(kms, "endpoint"),
    cacheSize: wholeNumber(kms, "cachesize"),
    timeoutMs: duration(kms, "timeout"),
  };
}
