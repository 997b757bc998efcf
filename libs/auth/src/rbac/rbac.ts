import { rightsCollections } from "@orch/api/kinds/rbac/rights-collections.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { unavailable } from "@orch/status/api-error.js";
import type { Authorizer } from "../authorizer.js";
import type { Follower, Following, ObjectSource } from "../object-source.js";
import type { RuleResolver } from "../rules.js";
import type { RightsListener, ScopedRights } from "../scoped-rights.js";
import { type Kept, mirrorOf, type Named } from "./mirror.js";
import { createRbacIndex } from "./rbac-index.js";
import { bindingRecord, roleRecord } from "./rbac-objects.js";
import { createRightsJournal } from "./rights-journal.js";

/** Decides by roles and their bindings (rules: Authentication, 2). */
export interface Rbac extends Authorizer, RuleResolver, ScopedRights {
  /** Follows the four kinds; nothing is allowed before all four are loaded. */
  start(source: ObjectSource): void;
  stop(): void;
  readonly loaded: boolean;
  whenLoaded(): Promise<void>;
}

export interface RbacDeps {
  readonly naming: Naming;
  /** Told of objects that are passed over. */
  readonly log: (what: string, error: unknown) => void;
  readonly clock: { after(ms: number, run: () => void): () => void };
  /** How long a question waits for the rules to be loaded, in milliseconds. */
  readonly waitMs?: number;
}

const usualWaitMs = 5000;

/** Of a deleted object that of its deletion. */
const revisionOf = ({ metadata }: AnyObject): number => Number(metadata.resourceVersion ?? 0);

/**
 * Answers at once when loaded. Before, a question waits for `waitMs` at most.
 * @throws ApiError ServiceUnavailable (in the promise) where the rules are not loaded by then
 */
export function createRbac({ naming, log, clock, waitMs = usualWaitMs }: RbacDeps): Rbac {
  const listeners = new Set<RightsListener>();
  const journal = createRightsJournal();
  let version = 0;
  const index = createRbacIndex(naming, (who) => {
    version++;
    journal.add(who);
    for (const tell of listeners) tell(who);
  });
  const group = naming.group("rbac.authorization");
  const following: Following[] = [];
  const waiting = new Set<(loaded: boolean) => void>();
  const loading = new Set<string>(rightsCollections);
  let loaded = false;

  const collectionLoaded = (resource: string): void => {
    loading.delete(resource);
    if (loaded || loading.size > 0) return;
    loaded = true;
    for (const tell of waiting) tell(true);
    waiting.clear();
  };

  const follow = <T extends Named>(source: ObjectSource, resource: string, kept: Kept<T>): void => {
    const mirror = mirrorOf(kept, (what) => log(`${resource}: ${what}`, undefined));
    const follower: Follower = {
      replaced(objects, revision) {
        journal.begin(resource, revision);
        mirror.replaced(objects, revision);
        collectionLoaded(resource);
      },
      changed(object) {
        journal.at(resource, revisionOf(object));
        mirror.changed(object);
      },
      deleted(object) {
        journal.at(resource, revisionOf(object));
        mirror.deleted(object);
      },
    };
    following.push(source.follow({ group, version: "v1", resource }, follower));
  };

  const onceLoaded = async <T>(answer: () => T): Promise<T> => {
    const inTime = await new Promise<boolean>((resolve) => {
      const cancel = clock.after(waitMs, () => tell(false));
      const tell = (now: boolean): void => {
        cancel();
        waiting.delete(tell);
        resolve(now);
      };
      waiting.add(tell);
    });
    if (!inTime) throw unavailable("the rules of RBAC are not loaded yet");
    return answer();
  };

  return {
    start(source) {
      const roles = { read: roleRecord, put: index.putRole, remove: index.removeRole };
      const bindings = { read: bindingRecord, put: index.putBinding, remove: index.removeBinding };
      follow(source, "clusterroles", { ...roles, namespaced: false });
      follow(source, "clusterrolebindings", { ...bindings, namespaced: false });
      follow(source, "roles", { ...roles, namespaced: true });
      follow(source, "rolebindings", { ...bindings, namespaced: true });
    },
    stop() {
      for (const one of following.splice(0)) one.stop();
    },
    namespacesOf: index.namespacesOf,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    changedSince: journal.changedSince,
    revisions: journal.revisions,
    get version() {
      return version;
    },
    get loaded() {
      return loaded;
    },
    whenLoaded: () => (loaded ? Promise.resolve() : new Promise((resolve) => waiting.add(() => resolve()))),
    authorize: (attributes) => (loaded ? index.decide(attributes) : onceLoaded(() => index.decide(attributes))),
    rulesFor: (user, namespace) =>
      loaded ? index.rulesFor(user, namespace) : onceLoaded(() => index.rulesFor(user, namespace)),
  };
}
