import { keepCompiled } from "@orch/runtime/compile-cache.js";
import { startProgram } from "@orch/runtime/start-program.js";
import { checkGuarded, hereWord } from "./check/guarded.js";
import { commandLine } from "./command-line.js";

keepCompiled();
const defaultDataDir = process.env["ORCH_DATA"] ?? "./.orch";
const [, script = "", word, ...rest] = process.argv;
if (word === "check") process.exit(await checkGuarded(script, rest));
if (word === hereWord) {
  const { runCheck } = await import("./check/program.js");
  const output = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  };
  process.exit(await runCheck(rest, output, defaultDataDir));
}
const started = await startProgram(commandLine(defaultDataDir), process.argv.slice(2));
// What serves is loaded once it is wanted: a help text does not wait for it.
const { run } = await import("./run.js");
await run(started, process.env);
