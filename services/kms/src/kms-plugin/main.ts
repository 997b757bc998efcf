import { startProgram } from "@orch/runtime/start-program.js";
import { commandLine } from "./command-line.js";

const started = await startProgram(commandLine, process.argv.slice(2));
// What serves is loaded once it is wanted: a help text does not wait for it.
const { run } = await import("./run.js");
await run(started);
