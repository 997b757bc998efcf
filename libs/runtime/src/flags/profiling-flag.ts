import { boolFlag } from "./flag-types.js";

/** `--profiling`, the reference's name; `usual`: what the kind of program does where nobody says. */
export const profilingFlag = (usual: boolean) =>
  ({
    profiling: boolFlag(usual, {
      group: "Process",
      help: "whether profiles of this process are served below /debug/pprof/, for whoever may read them",
    }),
  }) as const;
