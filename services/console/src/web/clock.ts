/** Milliseconds since 1970, of the browser's clock. */
export const now = (): number => Date.now();
