import { keepCompiled } from "@orch/runtime/compile-cache.js";
import { startProgram } from "@orch/runtime/start-program.js";
import { commandLine } from "./command-line.js";

keepCompiled();
const started = await startProgram(commandLine, process.argv.slice(2));
// What serves is loaded once it is wanted: a help text does not wait for it.
const { run } = await import("./run.js");
await run(started, process.env);
