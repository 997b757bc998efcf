import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { Configuration } from "./configuration.js";
import { cloudManagerConfiguration } from "./managers/cloud-controller-manager.js";
import { controllerManagerConfiguration } from "./managers/controller-manager.js";
import { proxyConfiguration } from "./proxy/proxy.js";
import { readConfigurations } from "./read-configurations.js";
import { schedulerConfiguration } from "./scheduler/scheduler.js";

/**
 * `testdata/go-print` is what the published Go types (v0.32.0) print after they decoded our defaults strictly: the same
 * names, null for empty lists, every struct there.
 */
function testPrint<T extends JsonObject>(name: string, kind: Configuration<T>): void {
  test(`${kind.kind}: what Go's types print reads as our defaults`, () => {
    const text = readFileSync(new URL(`../testdata/go-print/${name}.yaml`, import.meta.url), "utf8");
    const read = readConfigurations(text, [kind]);
    assert.ok(read.ok, read.ok ? "" : read.problems.join("; "));
    assert.deepEqual(read.warnings, []);
    assert.deepEqual(read.documents.map(kind.from), [kind.defaults()]);
  });
}

const naming = createNaming("kubernetes");
testPrint("scheduler", schedulerConfiguration(naming));
testPrint("cm", controllerManagerConfiguration(naming));
testPrint("ccm", cloudManagerConfiguration(naming));
testPrint("proxy", proxyConfiguration(naming));
