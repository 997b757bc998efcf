import { type Authorizer, allowed, noOpinion } from "./authorizer.js";
import { everyRule, noRules, type RuleResolver } from "./rules.js";

/** Everybody may do everything. */
export const alwaysAllow: Authorizer & RuleResolver = {
  authorize: () => allowed,
  rulesFor: () => ({ ...noRules, rules: everyRule }),
};

/** Nobody may do anything. */
export const alwaysDeny: Authorizer & RuleResolver = {
  authorize: () => ({ outcome: "noOpinion", reason: "Everything is forbidden." }),
  rulesFor: () => noRules,
};

/** Members of a group may do everything: {@link Naming.mastersGroup}. */
export function groupMayAll(group: string): Authorizer {
  return { authorize: ({ user }) => (user.groups.includes(group) ? allowed : noOpinion) };
}

/** What `--authorization-always-allow-paths` is where nobody sets it. */
export const defaultAlwaysAllowPaths: readonly string[] = ["/healthz", "/readyz", "/livez"];

/**
 * Paths that everyone may ask for, resources never. `/healthz` is that path alone, `/openapi/*` all below it.
 * @throws TypeError where a `*` stands elsewhere than at the end
 */
export function alwaysAllowPaths(paths: readonly string[]): Authorizer {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const path of paths) {
    const bare = path.startsWith("/") ? path : `/${path}`;
    const star = bare.indexOf("*");
    if (star < 0) exact.add(bare);
    else if (star === bare.length - 1) prefixes.push(bare.slice(0, -1));
    else throw new TypeError(`only a trailing * is allowed in ${path}`);
  }
  return {
    authorize(attributes) {
      if (attributes.kind !== "path") return noOpinion;
      const { path } = attributes;
      return exact.has(path) || prefixes.some((p) => path.startsWith(p)) ? allowed : noOpinion;
    },
  };
}
