import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

/** Beside the packages, which are no part of what is kept either. */
const folder = fileURLToPath(new URL("../../../node_modules/.cache/orch-compiled", import.meta.url));

/**
 * Keeps the code of what is imported from now on as the engine compiled it, for the next start. Node has it from 22 on; where
 * it has not, or the folder cannot be written, every start compiles anew.
 */
export function keepCompiled(): void {
  const enable: unknown = "enableCompileCache" in nodeModule ? nodeModule.enableCompileCache : undefined;
  if (typeof enable === "function") enable(folder);
}
