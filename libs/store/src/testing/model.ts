/**
 * A store of a few lines, to compare the real ones with. Its revisions are steps 1, 2, 3…; a real
 * store's are mapped to them by whoever compares.
 */
export interface Model {
  readonly steps: readonly Step[];
  readonly compacted: number;
}

export interface Step {
  readonly key: string;
  /** undefined: deleted. */
  readonly value: string | undefined;
  /** The step that the key stood at before; 0: it did not exist. */
  readonly previous: number;
}

export const emptyModel: Model = { steps: [], compacted: 0 };

/** The step that wrote a key's state at a step; 0 when it does not exist there. */
export function standing(model: Model, key: string, at: number = model.steps.length): number {
  for (let step = at; step > 0; step--) {
    const change = model.steps[step - 1];
    if (change?.key === key) return change.value === undefined ? 0 : step;
  }
  return 0;
}

/** The model after a swap, and whether it was done. */
export function swapped(
  model: Model,
  change: { key: string; expected: number; value: string | undefined },
): { done: boolean; model: Model } {
  const previous = standing(model, change.key);
  if (previous !== change.expected) return { done: false, model };
  if (change.value === undefined && previous === 0) return { done: true, model };
  return {
    done: true,
    model: { ...model, steps: [...model.steps, { key: change.key, value: change.value, previous }] },
  };
}

/** The state at a step as `a=1 b=2`, or "expired". */
export function listed(model: Model, at: number): string {
  if (at < model.compacted) return "expired";
  const keys = [...new Set(model.steps.slice(0, at).map(({ key }) => key))].sort();
  return keys
    .flatMap((key) => {
      const step = standing(model, key, at);
      return step === 0 ? [] : [`${key}=${model.steps[step - 1]?.value}`];
    })
    .join(" ");
}

/** A step as a watch shows it, in the words of `line`. */
export function shown({ steps }: Model, step: number): string {
  const change = steps[step - 1];
  if (change === undefined) return "nothing";
  const before = change.previous === 0 ? undefined : steps[change.previous - 1]?.value;
  if (change.value === undefined) return `-${change.key}@${step} (${before})`;
  return before === undefined
    ? `+${change.key}@${step}=${change.value}`
    : `~${change.key}@${step}=${change.value} (${before})`;
}
