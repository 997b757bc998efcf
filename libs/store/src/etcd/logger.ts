/** What the store has to say to an operator; pino's shape. */
export interface Logger {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
