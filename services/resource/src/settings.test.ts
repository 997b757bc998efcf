import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { releaseFlags, releaseSettings } from "@orch/runtime/flags/release-flags.js";
import { resourceFlags } from "./flags.js";
import { resourceSettings } from "./settings.js";

function settingsOf(...argv: readonly string[]) {
  const flags = { ...resourceFlags, ...releaseFlags };
  const line = readCommandLine({ name: "x", description: "", version: "", flags }, argv);
  assert.ok(line.run);
  const release = releaseSettings(line.values);
  assert.ok(release.ok);
  const naming = createNaming("orch");
  return resourceSettings(line.values, { ...release.value, naming, read: (path) => assert.fail(`${path} is read`) });
}

test("flags and gates become what they mean to the resource service", () => {
  const plain = settingsOf();
  assert.ok(plain.ok);
  const { eventTtlMs, cbor, tokens, admission } = plain.value;
  assert.deepEqual({ eventTtlMs, cbor, tokens }, { eventTtlMs: 3_600_000, cbor: false, tokens: undefined });
  assert.equal(admission.tolerationSeconds.notReady, 300);
  const given = settingsOf(
    "--event-ttl=1m",
    "--feature-gates=CBORServingAndStorage=true",
    "--service-node-port-range=1-2",
  );
  assert.ok(given.ok);
  assert.equal(given.value.eventTtlMs, 60_000);
  assert.equal(given.value.cbor, true);
  assert.deepEqual(given.value.allocation.nodePorts, { first: 1, last: 2 });
});

test("every problem is told at once", () => {
  const refused = settingsOf("--service-account-max-token-expiration=1m", "--enable-admission-plugins=Nonsense");
  assert.ok(!refused.ok);
  assert.equal(refused.problems.length, 2);
});
