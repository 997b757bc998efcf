import { hereWord } from "@orch/service-standalone/check/guarded.js";
import { checkHere, commands, groups } from "./commands.js";
import { print, printError } from "./print.js";
import { unknownCommand, usage } from "./usage.js";

const [, script = "", word = "", ...rest] = process.argv;
const world = { environment: process.env, script, now: Date.now };
const command = commands.find((each) => each.word === word);
if (command !== undefined) process.exitCode = (await command.run(rest, world)) ?? process.exitCode;
else if (word === hereWord) process.exitCode = await checkHere(rest, world);
else if (["", "help", "--help", "-h"].includes(word)) print(usage(groups));
else {
  printError(unknownCommand(word, groups));
  process.exitCode = 2;
}
