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

const oldestKernel = "5.13";
const oldestProgram = "1.0.1";

export function createNftBackend({ family, table, run, kernel, anyKernel }: NftOptions): Backend {
  const at = `${wordsOf[family].ip} ${table}`;
  const nft = async (text: string): Promise<void> => {
    const { code, problem } = await run("nft", ["-f", "-"], text);
    if (code !== 0) throw new Error(`nft: ${problem === "" ? `ended with ${code}` : problem}`);
  };
  /** Whether the kernel would take a command. To list anything `nft` first reads every map: seconds for thousands of services. */
  const check = (command: string) => run("nft", ["-c", "-f", "-"], `${command}\n`);
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
    load: nft,
    async isIntact() {
      const { code } = await check(`flush chain ${at} services`);
      return code === 0;
    },
    cleanUp: () => nft(`add table ${at}\ndelete table ${at}\n`),
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
