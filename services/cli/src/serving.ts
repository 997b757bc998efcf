import { keepCompiled } from "@orch/runtime/compile-cache.js";
import type { Flags } from "@orch/runtime/flags/flags.js";
import { configFlagsOf, type ProgramText, type StartedProgram, startProgram } from "@orch/runtime/start-program.js";
import type { Command, World } from "./command.js";

interface ServiceText<F extends Flags> {
  readonly word: string;
  readonly description: string;
  /** What a help text needs, and what serves: each is loaded when it is wanted. */
  readonly commandLine: (world: World) => Promise<ProgramText<F>>;
  readonly run: () => Promise<(started: StartedProgram<F>, environment: NodeJS.ProcessEnv) => Promise<void>>;
}

/** A service as a command: the same program that its own `main.js` is. */
export function serving<F extends Flags>({ word, description, commandLine, run }: ServiceText<F>): Command {
  return {
    word,
    description,
    async flags(world) {
      const program = await commandLine(world);
      return { ...program.flags, ...configFlagsOf(program) };
    },
    async run(argv, world) {
      keepCompiled();
      const started = await startProgram(await commandLine(world), argv);
      const serve = await run();
      await serve(started, world.environment);
      return undefined;
    },
  };
}
