export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["json", "text"] as const;
export type LogFormat = (typeof logFormats)[number];
