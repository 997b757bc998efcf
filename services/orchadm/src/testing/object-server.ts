import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { printClientConfig } from "@orch/client/config.js";
import { type ApiObject, isApiObject, isRecord } from "@orch/client/objects.js";
import { testCertificate, testKey } from "@orch/client/testing/test-certificate.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { runCommand } from "../command-line.js";
import { root } from "../commands.js";
import type { World } from "../world.js";

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** A machine whose administrator reaches a small server of objects. */
export interface TestMachine {
  readonly root: string;
  /** By path: `/api/v1/namespaces/orch-system/secrets/a`. */
  readonly objects: Map<string, ApiObject>;
  /** Milliseconds since 1970 of the commands' clock. */
  readonly now: number;
  run(...argv: readonly string[]): Promise<Ran>;
  file(path: string, text: string): string;
  close(): Promise<void>;
}

const statusOf = (code: number, reason: string, message: string) => ({
  ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code },
});

/** Objects over real TLS, as far as the commands ask for them: by name, lists with `type=` as field selector, writes. */
export async function openTestMachine(): Promise<TestMachine> {
  const objects = new Map<string, ApiObject>();
  const folder = mkdtempSync(join(tmpdir(), "orchadm-"));
  const now = Date.parse("2026-01-01T00:00:00Z");

  function answer(method: string, target: URL, body: ApiObject | undefined): readonly [code: number, body: unknown] {
    const path = target.pathname;
    const found = objects.get(path);
    const missing = [404, statusOf(404, "NotFound", `${JSON.stringify(path.split("/").at(-1))} not found`)] as const;
    if (method === "POST" && body !== undefined) {
      const at = `${path}/${body.metadata.name}`;
      if (objects.has(at)) return [409, statusOf(409, "AlreadyExists", "it exists")];
      objects.set(at, body);
      return [201, body];
    }
    if (method === "GET" && found === undefined && isCollection(path)) {
      const [, type] = /^type=(.*)$/.exec(target.searchParams.get("fieldSelector") ?? "") ?? [];
      const items = [...objects]
        .filter(([at, object]) => dirname(at) === path && (type === undefined || object["type"] === type))
        .map(([, object]) => object);
      return [200, { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items }];
    }
    if (found === undefined) return missing;
    if (method === "DELETE") objects.delete(path);
    if (method === "PUT" && body !== undefined) objects.set(path, body);
    return [200, method === "PUT" ? body : found];
  }

  const server = createServer({ cert: testCertificate, key: testKey }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const given = isApiObject(body) ? body : undefined;
    const [code, answered] = answer(request.method ?? "", new URL(request.url ?? "", "https://x"), given);
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(answered));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: unknown = server.address();
  const port = isRecord(address) ? Number(address["port"]) : 0;

  const file = (path: string, text: string): string => {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
    return at;
  };
  file(
    "etc/orch/admin.conf",
    printClientConfig({
      ...{ naming: createNaming("orch"), server: `https://127.0.0.1:${port}`, ca: testCertificate },
      ...{ user: "admin", token: "t" },
    }),
  );
  return {
    ...{ root: folder, objects, now, file },
    async run(...argv) {
      let [output, errors] = ["", ""];
      const world: World = {
        environment: process.env,
        clock: createManualClock(now),
        print(text) {
          output += text;
        },
        printError(text) {
          errors += text;
        },
        ask: async () => "",
        pid: process.pid,
        untilStopped: () => new AbortController().signal,
        program: { command: "orch", args: [] },
      };
      try {
        const code = await runCommand(root, [...argv, `--rootfs=${folder}`], world);
        return { code, output, errors };
      } catch (error) {
        return { code: 1, output, errors: `${errors}${error instanceof Error ? error.message : String(error)}\n` };
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isCollection = (path: string): boolean => /s$/.test(path);
