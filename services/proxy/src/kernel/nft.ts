import type { Family } from "../model/family.js";
import { wordsOf } from "../nftables/words.js";
import type { Backend } from "./backend.js";
import type { RunProgram } from "./programs.js";

export interface NftOptions {
  readonly family: Family;
  readonly table: string;
  readonly run: RunProgram;
  /** `6.1.0-18-amd64`. */
  readonly kernel: string;
  /** Old kernels are tried as well. */
  readonly anyKernel: boolean;
}

/** Ten thousand services in one transaction take some minutes. */
const longestMs = 15 * 60_000;
const oldestKernel = "5.13";
const oldestProgram = "1.0.1";

export function createNftBackend({ family, table, run, kernel, anyKernel }: NftOptions): Backend {
  const at = `${wordsOf[family].ip} ${table}`;
  const nft = async (text: string): Promise<void> => {
    const { code, problem } = await run("nft", ["-f", "-"], text, longestMs);
    if (code !== 0) throw new Error(`nft: ${problem === "" ? `ended with ${code}` : problem}`);
  };
  /** Whether the kernel would take a command. To list anything `nft` first reads every map: seconds for thousands of services. */
  const check = (command: string) => run("nft", ["-c", "-f", "-"], `${command}\n`);
  const isIntact = async (): Promise<boolean> => (await check(`flush chain ${at} services`)).code === 0;
  const cleanUp = (): Promise<void> => nft(`add table ${at}\ndelete table ${at}\n`);
  return {
    async problem() {
      const { code, output, problem } = await run("nft", ["--version"]);
      if (code !== 0) return `nft cannot be run: ${problem}`;
      const version = /v(\d+(?:\.\d+)*)/.exec(output.slice(0, 100))?.[1] ?? "";
      if (isOlder(version, oldestProgram)) return `nft ${version} is too old: ${oldestProgram} is needed`;
      if (!anyKernel && isOlder(kernel, oldestKernel)) return `kernel ${kernel} is too old: ${oldestKernel} is needed`;
      const tried = await check(`add table ${at}`);
      return tried.code === 0 ? undefined : `nft: ${tried.problem}`;
    },
    async chains() {
      // A whole writing makes the table anew.
      return new Map();
    },
    async load({ text, parts }) {
      // What is there stays in force until all of the new is; where nothing is, services come to be one part after the other.
      if (parts === undefined || (await isIntact())) return nft(text);
      try {
        for (const part of parts) await nft(part);
      } catch (error) {
        // Without the table the next try is by parts again.
        await cleanUp().catch(() => undefined);
        throw error;
      }
    },
    isIntact,
    cleanUp,
  };
}

/** `1.0.6` and `6.1.0-18-amd64` by their numbers; what has none is old. */
export function isOlder(version: string, than: string): boolean {
  const [own, least] = [version, than].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [i, number] of (least ?? []).entries()) {
    const has = own?.[i] ?? 0;
    if (has !== number) return !(has > number);
  }
  return false;
}
