import {
  type LabelSelector,
  type Labels,
  parseLabelSelector,
  refuseLong,
  refuseMany,
  SelectorError,
} from "./labels.js";

/** One label selector, or several of which one must hold: `app=a,tier=b || app=c`. */
export interface LabelAlternatives {
  /** One at least. */
  readonly alternatives: readonly LabelSelector[];
  matches(labels: Labels | undefined): boolean;
}

/** Selectors that one text may have. */
export const maxAlternatives = 16;

/** Between alternatives. No label selector of the reference has a bar in it. */
const separator = "||";

export const hasAlternatives = (text: string): boolean => text.includes(separator);

/** Reads a text that may have alternatives. @throws SelectorError */
export function parseLabelAlternatives(text: string): LabelAlternatives {
  if (!hasAlternatives(text)) {
    const only = parseLabelSelector(text);
    return { alternatives: [only], matches: only.matches };
  }
  refuseLong(text);
  const texts = text.split(separator, maxAlternatives + 1);
  if (texts.length > maxAlternatives) {
    throw new SelectorError(`a selector may have at most ${maxAlternatives} alternatives`);
  }
  const alternatives = texts.map(parseLabelSelector);
  if (alternatives.some(({ everything }) => everything)) {
    throw new SelectorError(`on each side of '${separator}' must be a selector`);
  }
  refuseMany(alternatives.reduce((sum, { requirements }) => sum + requirements.length, 0));
  return { alternatives, matches: (labels) => alternatives.some((one) => one.matches(labels)) };
}
