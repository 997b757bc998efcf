import type { Plugin } from "../framework/plugin.js";

/** Tells the server which node the pod stands on; how is the caller's matter. */
export const defaultBinder = (bind: NonNullable<Plugin["bind"]>): Plugin => ({ name: "DefaultBinder", bind });
