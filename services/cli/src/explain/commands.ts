import { readFileSync } from "node:fs";
import type { Command, World } from "../command.js";
import { print } from "../print.js";
import type { ExplainWorld } from "./session.js";

function worldOf({ environment, now }: World): ExplainWorld {
  const { ORCHCONFIG = "", KUBECONFIG = "" } = environment;
  return {
    orchconfig: ORCHCONFIG === "" ? KUBECONFIG : ORCHCONFIG,
    print: (text) => print(`${text}\n`),
    read: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
    now,
  };
}

/** What asks a server why something is as it is. */
export const explainWrite: Command = {
  word: "explain-write",
  description: "what would become of an object that is written, stage by stage, and who has a hand in it",
  flags: async () => (await import("./command.js")).explainWriteFlags,
  run: async (argv, world) => (await import("./command.js")).runExplainWrite(argv, worldOf(world)),
};

export const whyNotDeleted: Command = {
  word: "why-not-deleted",
  description: "what an object that is being deleted waits for, since when, and who should act",
  flags: async () => (await import("../why-not-deleted/command.js")).whyNotDeletedFlags,
  run: async (argv, world) => (await import("../why-not-deleted/command.js")).runWhyNotDeleted(argv, worldOf(world)),
};

export const whoCan: Command = {
  word: "who-can",
  description: "who may do something, by which role and binding",
  flags: async () => (await import("../access/who-can.js")).whoCanFlags,
  run: async (argv, world) => (await import("../access/who-can.js")).runWhoCan(argv, worldOf(world)),
};

export const canI: Command = {
  word: "can-i",
  description: "whether you may do something (--explain: by which role, binding and rule)",
  flags: async () => (await import("../access/can-i.js")).canIFlags,
  run: async (argv, world) => (await import("../access/can-i.js")).runCanI(argv, worldOf(world)),
};
