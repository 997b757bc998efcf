import { hash } from "node:crypto";
import { bootstrapPolicy } from "@orch/api/kinds/rbac/bootstrap/policy.js";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { abacAuthorizer, parseAbacFile } from "@orch/auth/abac/abac.js";
import {
  type AuthorizationConfiguration,
  type AuthorizerConfiguration,
  type AuthorizerType,
  parseAuthorizationConfiguration,
  reloadProblem,
} from "@orch/auth/authorization-config/authorization-config.js";
import { authorizationModes, configFileProblem } from "@orch/auth/authorization-config/modes.js";
import { type Authorizer, firstOpinion } from "@orch/auth/authorizer.js";
import { alwaysAllow, alwaysDeny, groupMayAll } from "@orch/auth/fixed-authorizers.js";
import { createNodeAuthorizer, nodesGroup } from "@orch/auth/node/node-authorizer.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import { createRbac, type Rbac } from "@orch/auth/rbac/rbac.js";
import type { Permissions, RuleResolver, UserRules } from "@orch/auth/rules.js";
import type { ScopedRights } from "@orch/auth/scoped-rights.js";
import { readReviewStatus } from "@orch/auth/webhook/access-review.js";
import { webhookAuthorizer } from "@orch/auth/webhook/authorizer.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Reloaded } from "@orch/runtime/tls-files.js";
import { ConfigurationError, followedFile, inPart, orThrow, textOfFile } from "./configuration.js";
import type { AuthorizationMetrics } from "./metrics.js";
import type { Parts } from "./parts.js";
import type { AuthorizationSettings } from "./settings.js";

export interface AuthorizationDeps extends Parts {
  readonly metrics: AuthorizationMetrics;
  /** Asked before the chain, after that of the masters: paths that everyone may ask for. */
  readonly openPaths: Authorizer;
}

/** Who may do what. */
export interface Authorization extends Permissions {
  /** The rules by which one may hand out rights: RBAC's, which are those that are handed out. */
  readonly granting: RuleResolver;
  readonly scoped: ScopedRights;
  /** Begins to follow what decisions rest on. */
  start(objects: ObjectSource): void;
  stop(): void;
  /** Why nothing can be decided yet; undefined once it can. */
  health(): string | undefined;
}

type Member = Authorizer & RuleResolver;

/** @throws ConfigurationError */
export async function createAuthorization(
  settings: AuthorizationSettings,
  deps: AuthorizationDeps,
): Promise<Authorization> {
  const { naming, clock, log } = deps;
  const rbac = createRbac({ naming, clock, log: (what, err) => log.warn({ err }, what) });
  const node = createNodeAuthorizer({ naming, clock, rules: rulesOfNodes(naming), resourceSlices: false });
  const parts: ChainParts = { ...deps, rbac, node, abac: abacOf(settings, naming), webhookMembers: new Map() };
  const source = await chainsOf(settings, parts);
  const { types } = source.current();
  const rules: RuleResolver = { rulesFor: (user, namespace) => source.current().rules.rulesFor(user, namespace) };
  return {
    authorizer: { authorize: (attributes, span) => source.current().authorizer.authorize(attributes, span) },
    rules,
    granting: types.has("RBAC") ? rbac : rules,
    scoped: scopedBy(rbac, () => source.current().types),
    start(objects) {
      if (types.has("RBAC")) rbac.start(objects);
      if (types.has("Node")) node.start(objects);
    },
    stop() {
      source.stop();
      rbac.stop();
      node.stop();
    },
    health: () => (!types.has("RBAC") || rbac.loaded ? undefined : "the rules of RBAC are not loaded yet"),
  };
}

/** Of these RBAC alone gives rights in single namespaces; the one of nodes gives them to nodes. */
const givingByBindings: ReadonlySet<AuthorizerType> = new Set(["RBAC", "Node", "AlwaysDeny", "AlwaysAllow"]);

function scopedBy(rbac: Rbac, types: () => ReadonlySet<AuthorizerType>): ScopedRights {
  const byBindings = (groups: readonly string[]): boolean =>
    [...types()].every((type) => givingByBindings.has(type)) && !(types().has("Node") && groups.includes(nodesGroup));
  return {
    namespacesOf: (user) => (byBindings(user.groups) ? rbac.namespacesOf(user) : undefined),
    onChange: rbac.onChange,
    changedSince: (user, revision) => byBindings(user.groups) && rbac.changedSince(user, revision),
    revisions: rbac.revisions,
    get version() {
      return rbac.version;
    },
  };
}

/** What the chain is made of again when its file changes; what follows the cluster is kept. */
interface ChainParts extends AuthorizationDeps {
  readonly rbac: Rbac;
  readonly node: Member;
  readonly abac: Member | undefined;
  /** By their configuration. */
  readonly webhookMembers: Map<string, Member>;
}

interface Chain {
  readonly types: ReadonlySet<AuthorizerType>;
  readonly authorizer: Authorizer;
  readonly rules: RuleResolver;
}

/** The chain of the flags, or that of the file, made anew when the file changes. */
async function chainsOf({ values, given }: AuthorizationSettings, parts: ChainParts): Promise<Reloaded<Chain>> {
  const { naming, clock, log, metrics } = parts;
  const path = values["authorization-config"];
  if (path === "") {
    const fromFlags = orThrow(
      authorizationModes(values["authorization-mode"], {
        policyFile: values["authorization-policy-file"],
        webhookConfigFile: values["authorization-webhook-config-file"],
        webhookVersion: values["authorization-webhook-version"],
        authorizedTtlMs: values["authorization-webhook-cache-authorized-ttl"],
        unauthorizedTtlMs: values["authorization-webhook-cache-unauthorized-ttl"],
      }),
    );
    const chain = await chainOf(fromFlags, parts);
    return { current: () => chain, onChange: () => () => {}, stop: () => {} };
  }
  const problem = configFileProblem(given);
  if (problem !== undefined) throw new ConfigurationError(problem);
  let first: AuthorizationConfiguration | undefined;
  // Whatever keeps a changed file from being in force counts as a failure, not only what it says.
  const make = async (tree: unknown): Promise<Chain> => {
    const read = orThrow(await parseAuthorizationConfiguration(tree, naming));
    first ??= read;
    const unfit = reloadProblem(first, read);
    if (unfit !== undefined) throw new ConfigurationError(unfit);
    return await chainOf(read, parts);
  };
  return await followedFile("--authorization-config", path, { make, clock, log, counted: metrics.reloaded });
}

async function chainOf({ authorizers }: AuthorizationConfiguration, parts: ChainParts): Promise<Chain> {
  const { naming, metrics } = parts;
  const members = await Promise.all(
    authorizers.map(async (each) => ({ ...each, member: await memberOf(each, parts) })),
  );
  return {
    types: new Set(authorizers.map(({ type }) => type)),
    authorizer: firstOpinion([
      groupMayAll(naming.mastersGroup),
      parts.openPaths,
      ...members.map(({ member, type, name }) => metrics.decided(member, { type, name })),
    ]),
    rules: joinedRules(members.map(({ member }) => member)),
  };
}

async function memberOf(each: AuthorizerConfiguration, parts: ChainParts): Promise<Member> {
  switch (each.type) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "RBAC":
      return parts.rbac;
    case "Node":
      return parts.node;
    case "ABAC":
      if (parts.abac === undefined) throw new ConfigurationError("ABAC needs --authorization-policy-file");
      return parts.abac;
    case "Webhook": {
      // One that a changed file still has goes on as it is, with its connections and what it remembers.
      const text = JSON.stringify(each);
      const known = parts.webhookMembers.get(text);
      if (known !== undefined) return known;
      const made = await webhookMember(each, text, parts);
      parts.webhookMembers.set(text, made);
      return made;
    }
  }
}

async function webhookMember(
  { name, webhook }: Extract<AuthorizerConfiguration, { readonly type: "Webhook" }>,
  text: string,
  parts: ChainParts,
): Promise<Member> {
  const { post, address } = await inPart(`the authorization webhook ${name}`, () =>
    parts.webhooks.connect(webhook.connection),
  );
  // Another address or version may answer otherwise: what was kept of one is not for the other.
  const cache = parts.caches(`authorization:${hash("sha256", text + address)}`, readReviewStatus);
  const observer = parts.metrics.webhook(name, parts.log);
  return webhookAuthorizer({ ...parts, name, config: webhook, post, cache, observer });
}

function abacOf({ values }: AuthorizationSettings, naming: Naming): Member | undefined {
  const path = values["authorization-policy-file"];
  if (path === "") return undefined;
  const flag = "--authorization-policy-file";
  const file = parseAbacFile(textOfFile(flag, path), naming);
  if (!file.ok) throw new ConfigurationError(`${flag}: ${file.problems.join("\n")}`);
  return abacAuthorizer(file.value);
}

/** The rules of all that can list theirs; incomplete where one cannot. */
function joinedRules(resolvers: readonly RuleResolver[]): RuleResolver {
  return {
    async rulesFor(user, namespace): Promise<UserRules> {
      const all = await Promise.all(resolvers.map((one) => one.rulesFor(user, namespace)));
      return {
        rules: all.flatMap(({ rules }) => rules),
        incomplete: all.some(({ incomplete }) => incomplete),
        evaluationError: all.flatMap(({ evaluationError: e }) => (e === "" ? [] : [e])).join(", "),
      };
    },
  };
}

/** What the bootstrap policy lets every node do. */
function rulesOfNodes(naming: Naming): readonly PolicyRule[] {
  const role = bootstrapPolicy(naming).clusterRoles.find(({ metadata }) => metadata.name === "system:node");
  return role?.rules ?? [];
}
