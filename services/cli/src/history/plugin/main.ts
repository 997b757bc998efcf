#!/usr/bin/env node
import { homedir } from "node:os";
import { join } from "node:path";
import { print, printError } from "../../print.js";
import { runHistory } from "../command.js";
import { historyWorld } from "../here.js";
import { descriptions, words } from "../usage.js";

/** `kubectl orch`: what `orch` has to say of objects' past, with the user's own configuration. */
const program = "kubectl orch";
const [word = "", ...rest] = process.argv.slice(2);
const known = words.find((one) => one === word);
const usage = [
  `usage: ${program} COMMAND …      ${program} COMMAND --help tells more`,
  "",
  ...words.map((one) => `  ${one.padEnd(8)}  ${descriptions[one]}`),
].join("\n");

if (known !== undefined) {
  const usualConfig = join(homedir(), ".kube", "config");
  const shared = { environment: process.env, now: Date.now };
  process.exitCode = await runHistory(
    known,
    rest,
    historyWorld({ ...shared, program, configVariable: "KUBECONFIG", usualConfig }),
  );
} else if (["", "help", "--help", "-h"].includes(word)) print(`${usage}\n`);
else {
  printError(`${program}: unknown command: ${JSON.stringify(word.slice(0, 100))}\n${usage}\n`);
  process.exitCode = 2;
}
