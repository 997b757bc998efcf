import type { Catalog } from "@orch/api/catalog.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { UserInfo } from "@orch/auth/user.js";
import { ApiError, conflict } from "@orch/status/api-error.js";
import type { Asker, Live } from "./ask.js";
import { type BroughtKind, broughtKinds, checkBrought } from "./brought-kinds.js";
import { changesOf } from "./changes.js";
import { eachOf } from "./each-of.js";
import { fingerprintOf } from "./fingerprint.js";
import { keyOf, readObjects, type SetObject } from "./objects.js";
import { orProblem, type Problem } from "./problems.js";
import { type Action, type Mark, type Member, nameOf, type ObjectSet, type ShownChange } from "./set-object.js";

/** What a write of an object comes to. */
export interface PlannedWrite {
  readonly object: SetObject;
  readonly action: Action;
  readonly changes: readonly ShownChange[];
  /** The state that it was judged on; absent where there was none. */
  readonly before: Before | undefined;
  /** Of the object as it will be, about; 0 where nobody knows yet. */
  readonly bytes: number;
}

export interface Before {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Of all that is not status. */
  readonly fingerprint: string;
}

/** What becomes of a member that is one no more. */
export interface PlannedRemoval {
  readonly member: Member;
  readonly rank: Pick<SetObject, "kind"> | undefined;
  readonly action: "Delete" | "Release";
  readonly uid: string;
  /** Of the object. */
  readonly bytes: number;
}

export interface Plan {
  readonly writes: readonly PlannedWrite[];
  readonly removals: readonly PlannedRemoval[];
  readonly problems: readonly Problem[];
}

/** What a plan is made for. */
export interface PlanningDeps {
  readonly asker: Asker;
  readonly catalog: Catalog;
  readonly builtIn: Catalog;
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  readonly mark: Mark;
  /** Of the set; "" for one of the whole cluster. */
  readonly namespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Judges everything that a write of a set is to do before any of it is done, by dry runs as the writer of the set: what would
 * be created, changed, left and deleted, and everything that is refused.
 */
export async function planSet(set: ObjectSet, given: readonly unknown[], deps: PlanningDeps): Promise<Plan> {
  const brought = broughtKinds(given, deps.builtIn);
  const { objects, problems } = readObjects(given, {
    kind: (apiVersion, kind) => servedKind(deps.catalog, apiVersion, kind),
    brought: (apiVersion, kind) => brought.get(`${apiVersion}/${kind}`)?.kind,
    namespace: deps.namespace,
    mark: deps.mark.id,
  });
  if (problems.length > 0) return { writes: [], removals: [], problems };
  // What others of the set lie in, or are made by, is judged before them.
  const isGround = ({ kind }: SetObject): boolean => kind.plural === "namespaces" || kind.plural === definitions;
  const judge = (object: SetObject, ground?: Ground) =>
    orProblem({ at: object.at, what: nameOf(object.place) }, () => judged(object, { set, deps, ground }));
  const ground = await eachOf(objects.filter(isGround), (object) => judge(object));
  const known = groundOf(ground, brought);
  const others = await eachOf(
    objects.filter((object) => !isGround(object)),
    (object) => judge(object, known),
  );
  const kept = new Set(objects.map(({ kind, place }) => keyOf(kind, place)));
  const leaving = (set.status?.members ?? []).filter((member) => !kept.has(memberKey(deps.catalog, member)));
  const removals = await planRemovals(leaving, deps, "Delete");
  const all = [...ground, ...others];
  return {
    writes: all.flatMap((each) => ("value" in each ? [each.value] : [])),
    removals: removals.removals,
    problems: [...all.flatMap((each) => ("problem" in each ? [each.problem] : [])), ...removals.problems],
  };
}

export const definitions = "customresourcedefinitions";

/** What the set itself lays for other objects of its. */
interface Ground {
  /** Namespaces that are not there yet. */
  readonly namespaces: ReadonlySet<string>;
  /** Kinds whose definition is accepted, by apiVersion and kind. */
  readonly kinds: ReadonlySet<string>;
}

function groundOf(
  judgements: readonly ({ readonly value: PlannedWrite } | { readonly problem: Problem })[],
  brought: ReadonlyMap<string, BroughtKind>,
): Ground {
  const accepted = judgements.flatMap((each) => ("value" in each ? [each.value] : []));
  const names = new Set(accepted.filter(({ object }) => object.kind.plural === definitions).map(placeName));
  return {
    namespaces: new Set(
      accepted
        .filter(({ object, before }) => object.kind.plural === "namespaces" && before === undefined)
        .map(placeName),
    ),
    kinds: new Set([...brought].filter(([, { by }]) => names.has(by)).map(([key]) => key)),
  };
}

const placeName = ({ object }: PlannedWrite): string => object.place.name;

interface Judging {
  readonly set: ObjectSet;
  readonly deps: PlanningDeps;
  readonly ground: Ground | undefined;
}

async function judged(object: SetObject, { set, deps, ground }: Judging): Promise<PlannedWrite> {
  const { asker, mark } = deps;
  const { kind, place } = object;
  if (object.brought) return judgedBrought(object, deps, ground);
  const live = await asker.get(place);
  checkClaim(object, live, { mark, adopt: set.spec?.adopt === true });
  const assumeNamespace = live === undefined && ground?.namespaces.has(place.namespace ?? "") === true;
  const force = set.spec?.force === true;
  const after = await asker.apply(place, object.object, {
    manager: mark.manager,
    force,
    dryRun: true,
    assumeNamespace,
  });
  const { bytes } = after;
  if (live === undefined) return { object, action: "Create", changes: [], before: undefined, bytes };
  const isSecret = kind.group === "" && kind.plural === "secrets";
  const changes = changesOf(live.object, after.object, { values: !isSecret });
  const action = live.mark !== mark.id ? "Adopt" : changes.length > 0 ? "Change" : "Keep";
  const { uid, resourceVersion } = live;
  const before = { uid, resourceVersion, fingerprint: fingerprintOf(live.object) };
  return { object, action, changes, before, bytes };
}

/** Of a kind that is not there yet there is nothing to read, and nobody to ask but its schema. */
async function judgedBrought(object: SetObject, deps: PlanningDeps, ground: Ground | undefined): Promise<PlannedWrite> {
  const { kind, place } = object;
  if (ground?.kinds.has(`${kind.apiVersion}/${kind.kind}`) !== true) {
    throw new ApiError("Invalid", "the definition of its kind, which is in the set, is refused");
  }
  for (const verb of ["get", "patch", "create"]) {
    const { group = "", version, resource, namespace = "", name } = place;
    const target = { group, version, resource, namespace, name, subresource: "" };
    const attributes = { ...target, kind: "resource" as const, user: deps.user, verb };
    const { outcome, reason } = await deps.authorizer.authorize(attributes);
    if (outcome !== "allow") throw forbiddenError(attributes, reason);
  }
  checkBrought(object, deps);
  return { object, action: "Create", changes: [], before: undefined, bytes: 0 };
}

/** @throws ApiError Conflict for an object that is not the set's to change */
function checkClaim(
  { kind, place }: SetObject,
  live: Live | undefined,
  { mark, adopt }: { readonly mark: Mark; readonly adopt: boolean },
): void {
  if (live === undefined || live.mark === mark.id) return;
  const resource = { group: kind.group, resource: kind.plural };
  if (live.mark !== "") throw conflict(resource, place.name, "the object belongs to another set");
  if (!adopt) {
    throw conflict(resource, place.name, "the object exists and belongs to no set; spec.adopt makes it a member");
  }
}

/**
 * What becomes of members that are to be none any more: a set deletes only what it made or adopted and what still says so
 * itself. Others are let go of.
 */
export async function planRemovals(
  members: readonly Member[],
  deps: Pick<PlanningDeps, "asker" | "catalog" | "mark">,
  wanted: "Delete" | "Release",
): Promise<{ readonly removals: readonly PlannedRemoval[]; readonly problems: readonly Problem[] }> {
  const judgements = await eachOf(members, (member) =>
    orProblem({ at: "status.members", what: nameOf(member) }, () => judgedRemoval(member, deps, wanted)),
  );
  return {
    removals: judgements.flatMap((each) => ("value" in each ? (each.value ?? []) : [])),
    problems: judgements.flatMap((each) => ("problem" in each ? [each.problem] : [])),
  };
}

async function judgedRemoval(
  member: Member,
  { asker, catalog, mark }: Pick<PlanningDeps, "asker" | "catalog" | "mark">,
  wanted: "Delete" | "Release",
): Promise<PlannedRemoval | undefined> {
  const kind = memberKind(catalog, member);
  const live = await asker.get(member);
  if (live === undefined) return undefined;
  const rank = kind === undefined ? undefined : { kind };
  const { uid, resourceVersion, bytes } = live;
  if (!isOwn(member, live, mark)) return undefined;
  const options = { dryRun: true, uid, resourceVersion };
  try {
    if (wanted === "Delete") await asker.remove(member, options);
    else await asker.release(member, { ...options, manager: mark.manager });
  } catch (error) {
    // Somebody else has deleted it since it was read.
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
  return { member, rank, action: wanted, uid, bytes };
}

/** Whether an object is the one that the set knows, and still says itself that it belongs to it. */
export function isOwn({ uid }: Member, live: Live, mark: Mark): boolean {
  return live.mark === mark.id && (uid === undefined || uid === live.uid);
}

function memberKind(catalog: Catalog, { group = "", version, resource }: Member) {
  return catalog.resource(group, version, resource) ?? catalog.find(group, version, resource);
}

function memberKey(catalog: Catalog, member: Member): string {
  const kind = memberKind(catalog, member);
  if (kind !== undefined) return keyOf(kind, member);
  // A kind of nobody's: its objects are stored under its own name, as those of definitions are.
  const { group = "", resource, namespace = "", name } = member;
  return `${group}/${resource}/${namespace}/${name}`;
}

function servedKind(catalog: Catalog, apiVersion: string, name: string) {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  return catalog.kindsOf(group, apiVersion.slice(slash + 1)).find(({ kind }) => kind === name);
}
