import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { networkMissing } from "./proxy/node-network.js";

const missing = networkMissing();
if (missing !== undefined) process.stderr.write(`NO TRAFFIC IS TESTED: ${missing}\n`);

/** Namespaces of its own, of networks and of mounts: what it sets up ends with it. */
const inside = 'mount -t tmpfs tmpfs /run && exec "$0" "$@"';

async function inNamespace(scenario: string, mode: string): Promise<string> {
  const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
  const script = fileURLToPath(new URL(`./proxy/${scenario}.js`, import.meta.url));
  const args = ["-n", "-m", "sh", "-c", inside, process.execPath, "--test-reporter=tap", script, mode];
  const child = spawn("unshare", args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-100_000);
    });
  }
  const [code] = await once(child, "close");
  assert.equal(code, 0, output);
  return output;
}

describe("connections through a real proxy", { skip: missing ?? false }, () => {
  for (const mode of ["nftables", "iptables"]) {
    test(mode, async () => {
      assert.match(await inNamespace("traffic-scenario", mode), /^# pass \d\d/m);
    });
    test(`${mode} in the server's own process`, async () => {
      assert.match(await inNamespace("in-process-scenario", mode), /^# pass 1$/m);
    });
  }
});
