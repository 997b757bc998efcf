import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import fc from "fast-check";
import { listening } from "../testing/servers.js";
import type { EgressConnection } from "./configuration.js";
import { createEgress } from "./egress.js";

const folder = mkdtempSync(join(tmpdir(), "orch-hostile-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A proxy that says these bytes, in these parts, and then ends or breaks; whatever it is asked. */
interface Speech {
  readonly parts: readonly Uint8Array[];
  readonly end: "ends" | "breaks";
}

async function proxyOf(t: TestContext, speech: () => Speech): Promise<string> {
  const path = join(folder, `${Math.random()}.sock`);
  const server = createServer((socket) => {
    const { parts, end } = speech();
    for (const part of parts) socket.write(part);
    if (end === "ends") socket.end();
    else socket.once("data", () => socket.destroy());
  });
  await listening(t, server, path);
  return path;
}

const speech = fc.record({
  parts: fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.constantFrom("HTTP/1.1 200 OK\r\n", "\r\n", "HTTP/1.1 2", "a: b\r\n").map((text) => Buffer.from(text)),
      // The settings of HTTP/2, and the head of a frame of data.
      fc.constantFrom("000000040000000000", "00000500000000000100000000").map((hex) => Buffer.from(hex, "hex")),
    ),
    { maxLength: 8 },
  ),
  end: fc.constantFrom("ends" as const, "breaks" as const),
});

for (const protocol of ["HTTPConnect", "GRPC"] as const) {
  test(`whatever a proxy of ${protocol} says, there is a connection or an error, and nothing is left open`, async (t) => {
    let said: Speech = { parts: [], end: "ends" };
    const socketPath = await proxyOf(t, () => said);
    const connection: EgressConnection =
      protocol === "GRPC" ? { protocol, socketPath } : { protocol, proxy: { transport: "uds", socketPath } };
    const egress = createEgress(new Map([["cluster", connection]]), {
      observer: { started: () => {}, dialed: () => {}, failed: () => {} },
      monotonic: () => 0,
    });
    await fc.assert(
      fc.asyncProperty(speech, async (next) => {
        said = next;
        const dialed = egress.dial("cluster")({ host: "a", port: 1 }, AbortSignal.timeout(2_000));
        const socket = await dialed.catch((error: unknown) => {
          assert.ok(error instanceof Error && error.name !== "TimeoutError", String(error));
          return undefined;
        });
        socket?.on("error", () => {});
        socket?.destroy();
      }),
      { numRuns: 150 },
    );
  });
}
