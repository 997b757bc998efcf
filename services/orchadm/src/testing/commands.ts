import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "@orch/status/clock.js";
import { runCommand } from "../command-line.js";
import { root } from "../commands.js";
import type { World } from "../world.js";
import type { Ran } from "./object-server.js";

/** A machine of files alone. */
export interface FileMachine {
  /** Of its files. */
  readonly root: string;
  run(...argv: readonly string[]): Promise<Ran>;
  read(path: string): string;
  /** Below the root; gives where it is. */
  write(path: string, text: string): string;
  remove(path: string): void;
  close(): void;
}

export interface FileMachineOptions {
  /** Milliseconds by which its clock is ahead. */
  readonly aheadMs?: number;
  /** Beside PATH. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function openFileMachine({ aheadMs = 0, environment = {} }: FileMachineOptions = {}): FileMachine {
  const folder = mkdtempSync(join(tmpdir(), "orchadm-"));
  return {
    root: folder,
    async run(...argv) {
      let [output, errors] = ["", ""];
      const world: World = {
        environment: { PATH: "/usr/bin", ...environment },
        clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
        print(text) {
          output += text;
        },
        printError(text) {
          errors += text;
        },
        ask: async () => "",
        pid: process.pid,
        untilStopped: () => new AbortController().signal,
        program: { command: "/usr/bin/node", args: ["/opt/orch/main.js"] },
      };
      let code = 1;
      try {
        code = await runCommand(root, [...argv, `--rootfs=${folder}`], world);
      } catch (error) {
        errors += `${error instanceof Error ? error.message : error}\n`;
      }
      return { code, output, errors };
    },
    read: (path) => readFileSync(join(folder, path), "utf8"),
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    remove: (path) => rmSync(join(folder, path), { recursive: true, force: true }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A configuration file of one machine at an address of its own; `more` are lines of its ClusterConfiguration. */
export const initFile = (more = "", node = "one"): string => `apiVersion: orchadm.orch/v1beta4
kind: InitConfiguration
nodeRegistration: {name: ${node}}
localAPIEndpoint: {advertiseAddress: 10.0.0.5, bindPort: 6443}
---
apiVersion: orchadm.orch/v1beta4
kind: ClusterConfiguration
encryptionAlgorithm: ECDSA-P256
${more}
`;
