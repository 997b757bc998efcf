/** What is quoted of a text that a client chose, a name or a path: no valid one is longer. */
export const quoted = 1024;

/** At most so many characters of a text; a longer one says how much of it is missing. */
export function cut(text: string, most: number = quoted): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}
