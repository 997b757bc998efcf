import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

/** Beside the packages, which are no part of what is kept either. */
const folder = fileURLToPath(new URL("../../../node_modules/.cache/orch-compiled", import.meta.url));

/**
 * Keeps the code of what is imported from now on as the engine compiled it, for the next start. Node has it from 22 on; where
 * it has not, every start compiles anew. What somebody else installed is kept in the folder for temporary files.
 */
export function keepCompiled(): void {
  const enable: unknown = "enableCompileCache" in nodeModule ? nodeModule.enableCompileCache : undefined;
  if (typeof enable !== "function") return;
  const kept: unknown = enable(folder);
  if (typeof kept === "object" && kept !== null && "status" in kept && kept.status === failed) enable();
}

/** `module.constants.compileCacheStatus.FAILED`, which the types of the oldest Node do not have. */
const failed = 0;
