/**
 * What a selector may hold. Every requirement is asked of every object of a list, and whoever may sign in may ask a
 * review about one: a text of some megabytes would keep the server from everybody else.
 */
export const maxRequirements = 256;
/** Characters of a selector's text: more than fit into the address of a request. */
export const maxSelectorLength = 65_536;
/** Values of one requirement; those of a text are bounded by its length. */
export const maxValues = 10_000;

const maxShown = 1000;

/** A selector or a part of it, as errors repeat it. */
export function shownSelector(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
