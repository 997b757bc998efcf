import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "@orch/runtime/clock.js";
import { createLog } from "@orch/runtime/log.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { reloadedFiles } from "@orch/runtime/tls-files.js";
import { messageOf } from "@orch/status/message-of.js";
import { servePlugin } from "../plugin/serve.js";
import { answersWith } from "./answers.js";
import type { Started } from "./command-line.js";
import { parseKeyFile, withNewKey } from "./key-file.js";

/** Puts the plugin together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started): Promise<void> {
  const path = values["key-file"];
  if (path === "") return refuse("--key-file is needed");
  if (values["add-key"] !== "") {
    addKey(path, values["add-key"], refuse);
    return;
  }
  const { log } = createLog({
    level: values["log-level"],
    format: values["logging-format"],
    fields: { service: "kms-plugin" },
  });
  const clock = systemClock;
  const make = async ([text = ""]: readonly string[]) => {
    const file = parseKeyFile(text);
    if (!file.ok) throw new Error(file.problem);
    return file.keys;
  };
  const keys = await reloadedFiles({ log, clock, counted: () => {}, paths: [path], make }).catch((error: unknown) =>
    refuse(`--key-file: ${messageOf(error)}`),
  );
  const socket = resolve(values.listen);
  let serving: Awaited<ReturnType<typeof servePlugin>> | undefined;
  await runProcess({
    log,
    clock,
    delay: values["shutdown-delay-duration"],
    shuttingDown: () => {},
    service: {
      async start() {
        serving = await servePlugin(socket, answersWith(keys.current));
        process.stdout.write(`socket=${socket}\n`);
      },
      async stop() {
        keys.stop();
        await serving?.stop();
      },
    },
  });
}

function addKey(path: string, id: string, refuse: (problem: string) => never): void {
  const file = existsSync(path) ? parseKeyFile(readFileSync(path, "utf8")) : undefined;
  if (file?.ok === false) refuse(`--key-file: ${file.problem}`);
  const text = withNewKey(file?.ok === true ? file.keys : [], id);
  const made = parseKeyFile(text);
  if (!made.ok) refuse(`--add-key: ${made.problem}`);
  // Whole or not at all: without its keys nothing can be read any more.
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}
