import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { shortDuration } from "../output/short-duration.js";

/** A token by which machines join, as a cluster has it. */
export interface StoredToken {
  readonly token: string;
  readonly description?: string;
  /** RFC 3339; absent where it has no end. */
  readonly expires?: string;
  readonly usages: readonly string[];
  readonly groups: readonly string[];
}

const usagePrefix = "usage-bootstrap-";

/** @throws Error in which the Secret is named, where it is no token */
export function storedToken(secret: ApiObject): StoredToken {
  const { name = "" } = secret.metadata;
  const texts = textsOf(secret);
  const refuse = (why: string): never => {
    throw new Error(`the Secret ${JSON.stringify(name)} is no bootstrap token: ${why}`);
  };
  const { "token-id": id = "", "token-secret": secretPart = "", description = "", expiration = "" } = texts;
  if (id === "") refuse("it has no token-id");
  if (name !== `bootstrap-token-${id}`) refuse(`its name is not "bootstrap-token-${id}"`);
  if (secretPart === "") refuse("it has no token-secret");
  if (expiration !== "" && Number.isNaN(Date.parse(expiration))) refuse(`its expiration is no time: ${expiration}`);
  const groups = texts["auth-extra-groups"] ?? "";
  return {
    token: `${id}.${secretPart}`,
    ...(description === "" ? {} : { description }),
    ...(expiration === "" ? {} : { expires: expiration }),
    usages: Object.keys(texts)
      .filter((key) => key.startsWith(usagePrefix) && texts[key] === "true")
      .map((key) => key.slice(usagePrefix.length))
      .sort(),
    groups: groups === "" ? [] : groups.split(","),
  };
}

function textsOf({ data }: ApiObject): Readonly<Record<string, string>> {
  if (!isRecord(data)) return {};
  return Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(String(text), "base64").toString("utf8")]),
  );
}

export const tokenColumns = ["TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"] as const;

/** Its row of {@link tokenColumns}; `now` in milliseconds since 1970. */
export function tokenRow({ token, expires, usages, description, groups }: StoredToken, now: number): readonly string[] {
  const some = (texts: readonly string[]): string => (texts.length === 0 ? "<none>" : texts.join(","));
  return [
    token,
    expires === undefined ? "<forever>" : shortDuration(Date.parse(expires) - now),
    expires ?? "<never>",
    some(usages),
    description ?? "<none>",
    some(groups),
  ];
}

/** As `-o json` shows it. */
export const shownToken = ({ usages, groups, ...token }: StoredToken, naming: Naming): object => ({
  kind: "BootstrapToken",
  apiVersion: `output.${naming.configurationGroup("orchadm")}/v1alpha3`,
  ...token,
  ...(usages.length === 0 ? {} : { usages }),
  ...(groups.length === 0 ? {} : { groups }),
});
