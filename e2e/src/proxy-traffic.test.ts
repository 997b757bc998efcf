import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { networkMissing } from "./proxy/node-network.js";

const scenario = fileURLToPath(new URL("./proxy/traffic-scenario.js", import.meta.url));
const missing = networkMissing();
if (missing !== undefined) process.stderr.write(`NO TRAFFIC IS TESTED: ${missing}\n`);

/** Namespaces of its own, of networks and of mounts: what it sets up ends with it. */
const inside = 'mount -t tmpfs tmpfs /run && exec "$0" "$@"';

describe("connections through a real proxy", { skip: missing ?? false }, () => {
  for (const mode of ["nftables", "iptables"]) {
    test(mode, async () => {
      const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
      const args = ["-n", "-m", "sh", "-c", inside, process.execPath, "--test-reporter=tap", scenario, mode];
      const child = spawn("unshare", args, { env, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (bytes: Buffer) => {
          output = (output + bytes.toString()).slice(-100_000);
        });
      }
      const [code] = await once(child, "close");
      assert.equal(code, 0, output);
      assert.match(output, /^# pass \d\d/m);
    });
  }
});
