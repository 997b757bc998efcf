import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { noVerdict, type Verdict } from "./authenticator.js";
import type { ObjectSource } from "./object-source.js";
import { sameSecret } from "./secrets.js";
import { ownAudience, type TokenAuthenticator } from "./token-authenticator.js";
import { authenticatedUser } from "./user.js";

export interface BootstrapTokenDeps {
  readonly naming: Naming;
  readonly objects: ObjectSource;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly apiAudiences: readonly string[];
}

const tokenShape = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupShape = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const everyBootstrapper = "system:bootstrappers";
const outage: Verdict = { outcome: "deny", why: "a bootstrap token could not be looked up" };

/**
 * Tokens by which machines join, `<id>.<secret>`: each is a Secret `bootstrap-token-<id>` of the system's namespace
 * (rules: Authentication). One that is wrong, over or not meant for this is answered as one that does not exist.
 */
export function bootstrapTokenAuthenticator(deps: BootstrapTokenDeps): TokenAuthenticator {
  const { naming, objects } = deps;
  const namespace = naming.systemName("system");
  const secrets = { group: "", version: "v1", resource: "secrets", namespace };
  const look = async (given: Given): Promise<Verdict> => {
    try {
      const object = await objects.get(secrets, `bootstrap-token-${given.id}`);
      return object === undefined ? noVerdict : judge(object, given, deps);
    } catch {
      return outage;
    }
  };
  const known = (token: string): Verdict | Promise<Verdict> => {
    const [, id, secret] = tokenShape.exec(token) ?? [];
    if (id === undefined || secret === undefined) return noVerdict;
    return look({ id, secret });
  };
  return ownAudience(known, deps.apiAudiences);
}

interface Given {
  readonly id: string;
  readonly secret: string;
}

function judge(object: AnyObject, { id, secret }: Given, { naming, now }: BootstrapTokenDeps): Verdict {
  const data = (key: string): string => {
    const value = valueAt(object, `data.${key}`);
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  };
  const groups = groupsOf(data("auth-extra-groups"));
  const good =
    object.metadata.deletionTimestamp === undefined &&
    object["type"] === `bootstrap.${naming.key("token")}` &&
    sameSecret(data("token-secret"), secret) &&
    data("token-id") === id &&
    !hasExpired(data("expiration"), now()) &&
    data("usage-bootstrap-authentication") === "true";
  if (!good || groups === undefined) return noVerdict;
  return { outcome: "allow", user: authenticatedUser(naming, { name: `system:bootstrap:${id}`, groups }) };
}

/** Without a time it has no end; one that cannot be read is over. */
function hasExpired(time: string, now: number): boolean {
  if (time === "") return false;
  return !timeShape.test(time) || !(Date.parse(time) > now);
}

/** In order, each once; undefined where one is none that a bootstrap token may give. */
function groupsOf(more: string): readonly string[] | undefined {
  const given = more === "" ? [] : more.split(",");
  if (!given.every((group) => groupShape.test(group))) return undefined;
  return [...new Set([everyBootstrapper, ...given])].sort();
}
