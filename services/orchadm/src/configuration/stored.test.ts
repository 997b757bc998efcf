import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { createMachine } from "../machine/machine.js";
import type { Tools } from "../world.js";
import { kindsOf } from "./read-file.js";
import { newestText, storedClusterConfiguration } from "./stored.js";

const naming = createNaming("orch");
const tools: Tools = {
  ...{ naming, clock: createManualClock(), environment: {}, machine: createMachine("/nowhere"), version: "v1.32.0" },
  ...{ pid: 1, print: () => {}, printError: () => {}, trace: () => {}, ask: async () => "" },
  untilStopped: () => new AbortController().signal,
  program: { command: "node", args: [] },
};

/** A cluster that keeps this text. */
const keeping = (text: string) => ({
  get: async () => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "orchadm-config" } },
    data: { ClusterConfiguration: text },
  }),
});

test("a cluster keeps all that its first machine was told", async () => {
  const told = kindsOf(tools).cluster.fill({
    encryptionAlgorithm: "ECDSA-P256",
    certificateValidityPeriod: "100h0m0s",
    caCertificateValidityPeriod: "200h0m0s",
    proxy: { disabled: true },
    dns: { disabled: true },
    scheduler: {
      extraArgs: [
        { name: "feature-gates", value: "A=true" },
        { name: "feature-gates", value: "B=true" },
      ],
      extraEnvs: [{ name: "A", value: "b" }],
    },
  });
  assert.deepEqual(await storedClusterConfiguration(keeping(newestText(told, tools)), tools), told);
});

test("what a cluster of an older version keeps is read, too", async () => {
  const { cluster: kind } = kindsOf(tools);
  const told = kind.fill({ networking: { podSubnet: "10.244.0.0/16" } });
  const text = kind.print(told, "orchadm.orch/v1beta3");
  assert.match(text, /^apiVersion: orchadm\.orch\/v1beta3\n/);
  assert.deepEqual(await storedClusterConfiguration(keeping(text), tools), told);
});
