import { type Catalog, type Kind, once } from "@orch/api/catalog.js";
import type { MatchResources, NamedRule } from "@orch/api/kinds/admissionregistration/types.js";
import { compileSelector } from "@orch/api/kinds/shared/label-selector.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import type { Labels } from "@orch/api/selectors/labels.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Write } from "../../write/write.js";
import type { Operation, Question } from "./question.js";
import { ruleMatches } from "./rules.js";

/** For what somebody asked to be asked. */
export type Constraints = Pick<
  MatchResources,
  "resourceRules" | "excludeResourceRules" | "matchPolicy" | "namespaceSelector" | "objectSelector"
>;

export interface ResourceAsked {
  /** In the version of the request. */
  readonly requested: Kind;
  readonly subresource: string;
  readonly operation: Operation;
  /** The same resource in other versions, and in other groups: looked for once, however many ask. */
  readonly equivalents: () => readonly Kind[];
}

export function resourceAsked({ deps, requested, request }: Write, operation: Operation): ResourceAsked {
  const equivalents = once(() => equivalentsOf(requested, deps.catalog));
  return { requested, subresource: request.subresource, operation, equivalents };
}

function equivalentsOf(requested: Kind, catalog: Catalog): readonly Kind[] {
  return catalog
    .groups()
    .flatMap(({ name, versions }) => versions.flatMap((version) => catalog.kindsOf(name, version)))
    .filter((kind) => kind.stored === requested.stored && kind !== requested);
}

/** Of what all writes of a resource have in common. */
export interface ResourceMatch {
  /** The version in which the constraints name the resource: that of the request, or an equivalent one. */
  readonly kind: Kind;
  /** Names that the rules ask for; undefined: any. */
  readonly names: ReadonlySet<string> | undefined;
  /** Names that are excluded. */
  readonly excluded: ReadonlySet<string>;
}

type RulesMatch = Omit<ResourceMatch, "excluded">;

const noNames: ReadonlySet<string> = new Set();

/** Constraints, read once. */
export interface Matcher {
  /** Undefined where no write of the resource is meant. */
  resource(asked: ResourceAsked): ResourceMatch | undefined;
  /** Whether this write is meant, by its name and by labels. `namespace` is asked for where its labels decide. */
  write(
    question: Question,
    match: ResourceMatch,
    namespace: () => Promise<AnyObject | undefined>,
  ): boolean | Promise<boolean>;
}

export function createMatcher(constraints: Constraints): Matcher {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy = "Equivalent" } = constraints;
  const namespaces = compileSelector(constraints.namespaceSelector);
  const objects = compileSelector(constraints.objectSelector);
  const ofNamespaces = namespaces === undefined || namespaces.everything ? undefined : namespaces;
  const ofObjects = objects === undefined || objects.everything ? undefined : objects;

  const matchIn = (rules: readonly NamedRule[], asked: ResourceAsked): RulesMatch | undefined => {
    if (rules.length === 0) return undefined;
    const { requested, subresource, operation } = asked;
    const found = (kind: Kind): RulesMatch | undefined => {
      const matching = rules.filter((rule) => ruleMatches(rule, { operation, kind, subresource }));
      return matching.length === 0 ? undefined : { kind, names: namesOf(matching) };
    };
    const exact = found(requested);
    if (exact !== undefined || matchPolicy === "Exact") return exact;
    for (const kind of asked.equivalents()) {
      const other = found(kind);
      if (other !== undefined) return other;
    }
    return undefined;
  };

  return {
    resource(asked) {
      const match = matchIn(resourceRules, asked);
      if (match === undefined) return undefined;
      const excluded = matchIn(excludeResourceRules, asked);
      if (excluded === undefined) return { ...match, excluded: noNames };
      return excluded.names === undefined ? undefined : { ...match, excluded: excluded.names };
    },
    write(question, { names, excluded }, namespace) {
      if (names !== undefined && !names.has(question.name)) return false;
      if (excluded.has(question.name)) return false;
      // Of what has no metadata nothing is selected.
      if (ofObjects !== undefined && question.operation === "CONNECT") return false;
      if (
        ofObjects !== undefined &&
        ![question.object, question.old].some((one) => one && ofObjects.matches(labelsOf(one)))
      ) {
        return false;
      }
      if (ofNamespaces === undefined) return true;
      const { requested } = question.write;
      if (requested.group === "" && requested.kind === "Namespace") {
        const about = question.object ?? question.old;
        return (
          question.write.request.subresource !== "" || (about !== undefined && ofNamespaces.matches(labelsOf(about)))
        );
      }
      if (!requested.namespaced) return true;
      return namespace().then((found) => found !== undefined && ofNamespaces.matches(found.metadata.labels));
    },
  };
}

/** Undefined where one of the rules is about all names. */
function namesOf(rules: readonly NamedRule[]): ReadonlySet<string> | undefined {
  if (rules.some(({ resourceNames = [] }) => resourceNames.length === 0)) return undefined;
  return new Set(rules.flatMap(({ resourceNames = [] }) => resourceNames));
}

function labelsOf(object: JsonObject): Labels | undefined {
  return withMetadata(object).metadata.labels;
}
