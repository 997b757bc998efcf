import { boolFlag, stringFlag } from "./flag-types.js";

/** Flags of every program that runs until it is told to stop. */
export const configFlags = {
  config: stringFlag("", {
    group: "Configuration",
    word: "file",
    help: "values of flags in YAML or JSON, as --print-config prints them; the command line wins over it",
  }),
  "print-config": boolFlag(false, {
    group: "Configuration",
    help: "print the values of all flags as a file for --config, and exit",
  }),
} as const;

/** The same of a program whose file may hold a component configuration: a document of that kind. */
export const componentConfigFlags = {
  ...configFlags,
  config: stringFlag("", {
    group: "Configuration",
    word: "file",
    help: "configuration of the component in YAML or JSON, values of flags, or a document of each, as --print-config prints them; the command line wins over it",
  }),
  "print-config": boolFlag(false, {
    group: "Configuration",
    help: "print the configuration in force and the values of all other flags as a file for --config, and exit",
  }),
} as const;
