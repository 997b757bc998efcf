import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine as admission } from "@orch/service-admission/command-line.js";
import { commandLine as audit } from "@orch/service-audit/command-line.js";
import { commandLine as controllerManager } from "@orch/service-controller-manager/command-line.js";
import { commandLine as gateway } from "@orch/service-gateway/command-line.js";
import { commandLine as kms } from "@orch/service-kms/command-line.js";
import { commandLine as nodeSimulator } from "@orch/service-node-simulator/command-line.js";
import { commandLine as resource } from "@orch/service-resource/command-line.js";
import { commandLine as scheduler } from "@orch/service-scheduler/command-line.js";
import { commandLine as watchCache } from "@orch/service-watch-cache/command-line.js";
import { commandLine } from "./command-line.js";

const services = {
  admission,
  audit,
  gateway,
  kms,
  resource,
  "watch-cache": watchCache,
  "controller-manager": controllerManager,
  "node-simulator": nodeSimulator,
  scheduler,
};

/** Flags of services that standalone does not have, by the reason. */
const apart: Readonly<Record<string, readonly string[]>> = {
  "services in one process need no addresses of each other": [
    "admission-servers",
    "audit-servers",
    // Its own sinks say that there.
    "audit-mode",
    "kms-servers",
    "watch-cache-servers",
    "resource-servers",
    "gateway-port",
    "rpc-port",
  ],
  "services in one process need not prove to each other who they are": [
    "rpc-ca-file",
    "rpc-cert-file",
    "rpc-key-file",
    "rpc-trust-domain",
    "rpc-allowed-peers",
  ],
  "the gateway serves health and metrics": ["metrics-port", "metrics-allowed-peers"],
  "its own watch cache is near": ["near-cache"],
  "--simulate-nodes says how many, each with a name of its own": ["nodes", "node-name"],
  "--scheduler-plugin is it": ["plugin"],
  "the one resource service owns every group": ["groups"],
  "the controllers are clients of their own process, each as its own account": [
    "orchconfig",
    "use-service-account-credentials",
  ],
};

const own: ReadonlySet<string> = new Set(Object.keys(commandLine("").flags));
const excepted = new Set(Object.values(apart).flat());

for (const [name, { flags }] of Object.entries(services)) {
  test(`standalone has every flag of the ${name}, but those that only separate processes need`, () => {
    const missing = Object.keys(flags).filter((flag) => !own.has(flag) && !excepted.has(flag));
    assert.deepEqual(missing, []);
  });
}

test("what is excepted is a flag of some service, and none of standalone", () => {
  const known = new Set(Object.values(services).flatMap(({ flags }) => Object.keys(flags)));
  assert.deepEqual(
    [...excepted].filter((flag) => !known.has(flag) || own.has(flag)),
    [],
  );
});
