import { type CommandNode, command, type Flags, type Given, group } from "../command-line.js";
import type { Tools } from "../world.js";
import { type Phase, runPhases } from "./phase.js";

interface Closable {
  close(): Promise<void>;
}

export interface PhasedOptions<F extends Flags, C extends Closable> {
  readonly flags: F;
  /** What the words of a line are, for its help; none where absent. */
  readonly takes?: string;
  readonly phases: readonly Phase<C>[];
  readonly context: (line: Given<F>, tools: Tools) => Promise<C> | C;
}

/** `phase NAME [PART]`: each phase of a command by itself. */
export function phaseCommands<F extends Flags, C extends Closable>(options: PhasedOptions<F, C>): CommandNode {
  return group({
    word: "phase",
    description: "Run one phase by itself",
    commands: options.phases.map((phase) => phaseCommand(phase, options)),
  });
}

function phaseCommand<F extends Flags, C extends Closable>(phase: Phase<C>, options: PhasedOptions<F, C>): CommandNode {
  const { flags, context, takes } = options;
  const shared = { flags, ...(takes === undefined ? {} : { takes }) };
  const parts = phase.phases ?? [];
  const run = (phases: readonly Phase<C>[]) => async (line: Given<F>, tools: Tools) => {
    await withContext(await context(line, tools), (made) => runPhases(phases, made, []));
    return 0;
  };
  const all = { word: "all", description: `${phase.description}: every part of it`, ...shared, run: run([phase]) };
  return command({
    ...{ word: phase.name, description: phase.description, ...shared },
    commands: [
      ...(parts.length === 0 ? [] : [command(all)]),
      ...parts.map((part) => command({ word: part.name, description: part.description, ...shared, run: run([part]) })),
    ],
    run: run([phase]),
  });
}

/** Whatever happens, what the context has opened is closed. */
export async function withContext<C extends Closable>(context: C, run: (context: C) => Promise<void>): Promise<void> {
  try {
    await run(context);
  } finally {
    await context.close();
  }
}
