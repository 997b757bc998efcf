import { after, before, describe } from "node:test";
import { connect } from "../harness/http.js";
import type { Target } from "../harness/target.js";
import { identitySuite } from "./access/identity.js";
import { permissionSuite } from "./access/permissions.js";
import { admissionSuite } from "./admission.js";
import { applySuite } from "./apply.js";
import { compressionSuite } from "./compression.js";
import { consistencySuite } from "./consistency.js";
import { crudSuite } from "./crud.js";
import { deletionSuite } from "./deletion.js";
import { discoverySuite } from "./discovery.js";
import { dryRunSuite } from "./dry-run.js";
import { encodingSuite } from "./encodings.js";
import { errorSuite } from "./errors.js";
import { fieldValidationSuite } from "./field-validation.js";
import { forgottenSuite } from "./forgotten.js";
import { garbageCollectionSuite } from "./garbage-collection.js";
import { healthSuite } from "./health.js";
import { knownHoleSuite } from "./known-holes.js";
import { metadataSuite } from "./metadata.js";
import { namespaceDeletionSuite } from "./namespace-deletion.js";
import { pagingSuite } from "./paging.js";
import { patchSuite } from "./patches.js";
import { readRefusalSuite } from "./read-refusals.js";
import type { On, Scene } from "./scene.js";
import { schemaRuleSuite } from "./schema-rules.js";
import { selectorSuite } from "./selectors.js";
import { serviceAllocationSuite } from "./service-allocation.js";
import { subresourceSuite } from "./subresources.js";
import { versionSuite } from "./versions.js";
import { watchStartSuite } from "./watch-starts.js";
import { watchSuite } from "./watches.js";

const suites: readonly (readonly [title: string, suite: (on: On) => void])[] = [
  ["kinds", crudSuite],
  ["metadata", metadataSuite],
  ["patches", patchSuite],
  ["server-side apply", applySuite],
  ["field validation", fieldValidationSuite],
  ["dry runs", dryRunSuite],
  ["selectors", selectorSuite],
  ["paged lists", pagingSuite],
  ["watches", watchSuite],
  ["starts of watches", watchStartSuite],
  ["resource versions", versionSuite],
  ["refused reads", readRefusalSuite],
  ["deletion", deletionSuite],
  ["garbage collection", garbageCollectionSuite],
  ["namespaces that are deleted", namespaceDeletionSuite],
  ["subresources", subresourceSuite],
  ["rules of schemas", schemaRuleSuite],
  ["service allocation", serviceAllocationSuite],
  ["admission", admissionSuite],
  ["encodings", encodingSuite],
  ["compression", compressionSuite],
  ["errors", errorSuite],
  ["discovery", discoverySuite],
  ["health", healthSuite],
  ["identity", identitySuite],
  ["permissions", permissionSuite],
  ["known holes", knownHoleSuite],
  ["consistency", consistencySuite],
  // Last: it makes the store forget.
  ["forgotten versions", forgottenSuite],
];

export interface BehaviourOptions {
  readonly start: () => Promise<Target>;
  /** Titles of the suites that run; all of them where absent. */
  readonly only?: readonly string[];
  /** Why these tests cannot run here. */
  readonly skip?: string | undefined;
}

/** How orch behaves at its HTTP surface: the same for whatever it is made of. */
export function behaviour(name: string, { start, only, skip }: BehaviourOptions): void {
  const wanted = suites.filter(([title]) => only?.includes(title) ?? true);
  if (wanted.length === 0) throw new Error(`no suite is named ${only?.join(" or ")}`);
  describe(name, { skip: skip ?? false }, () => {
    let scene: Scene | undefined;
    const on: On = () => {
      if (scene === undefined) throw new Error(`${name} is not running`);
      return scene;
    };
    before(async () => {
      const target = await start();
      scene = { target, http: connect(target) };
    });
    after(async () => {
      scene?.http.close();
      await scene?.target.stop();
    });
    // Each test has a namespace of its own: those of a suite run at the same time.
    for (const [title, suite] of wanted) describe(title, { concurrency: 4 }, () => suite(on));
  });
}
