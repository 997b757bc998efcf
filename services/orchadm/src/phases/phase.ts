/** A step of a command, by itself or of smaller ones. Names are part of the interface. */
export interface Phase<C> {
  readonly name: string;
  readonly description: string;
  readonly phases?: readonly Phase<C>[];
  readonly run?: (context: C) => Promise<void> | void;
}

/**
 * Runs phases in their order without those that are skipped: `phase`, or `phase/sub`.
 * @throws Error for a name that is none
 */
export async function runPhases<C>(phases: readonly Phase<C>[], context: C, skip: readonly string[]): Promise<void> {
  const known = new Set(
    phases.flatMap((phase) => [phase.name, ...(phase.phases ?? []).map((sub) => `${phase.name}/${sub.name}`)]),
  );
  const unknown = skip.find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`invalid phase name: ${unknown}`);
  for (const phase of phases) {
    if (skip.includes(phase.name)) continue;
    await phase.run?.(context);
    for (const sub of phase.phases ?? []) {
      if (!skip.includes(`${phase.name}/${sub.name}`)) await sub.run?.(context);
    }
  }
}
