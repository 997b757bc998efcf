import { readFileSync } from "node:fs";
import { runCel } from "./cel/command.js";

const usage = `usage: orch cel …      check and evaluate expressions: orch cel --help`;

const [, , word, ...rest] = process.argv;
const files = { read: (path: string): Buffer => readFileSync(path === "-" ? 0 : path) };
const print = (text: string): void => void process.stdout.write(`${text}\n`);
if (word === "cel") process.exitCode = runCel(rest, { files, print });
else {
  print(usage);
  process.exitCode = word === undefined || word === "--help" ? 0 : 2;
}
