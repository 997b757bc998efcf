import { readFileSync, writeFileSync } from "node:fs";
import { runProgram } from "@orch/client/credentials/run-program.js";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import { messageOf } from "@orch/status/message-of.js";
import { type CommandNode, command, group } from "../command-line.js";
import { initInput } from "../configuration/init.js";
import type { Tools } from "../world.js";
import { imageListFlags, imagePullFlags, migrateFlags, validateFlags } from "./flags.js";
import { imagesOf } from "./images.js";
import { migrate } from "./migrate.js";
import { printCommand } from "./print.js";
import { validate } from "./validate.js";

const failed = 1;
const mostBytes = 4 * 1024 * 1024;

/** @throws Error that names the flag or the file */
function textOf(flag: string, path: string): string {
  if (path === "") throw new Error(`the --${flag} flag is mandatory`);
  try {
    const text = readFileSync(path, "utf8");
    if (text.length > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    return text;
  } catch (error) {
    throw new Error(`unable to read config from ${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error });
  }
}

const migrateCommand = command({
  word: "migrate",
  description: "Writes a configuration file of an older version as one of the next version",
  flags: migrateFlags,
  async run({ values }, { naming, print, printError }) {
    const { text, warnings } = migrate(textOf("old-config", values["old-config"]), naming);
    for (const warning of warnings) printError(`[config] WARNING: ${warning}\n`);
    if (values["new-config"] === "") print(text);
    // It may hold tokens and keys.
    else writeFileSync(values["new-config"], text, { mode: 0o600 });
    return 0;
  },
});

const validateCommand = command({
  word: "validate",
  description: "Says whether a configuration file is right: ok, or everything that is wrong",
  flags: validateFlags,
  async run({ values }, tools) {
    const { problems, warnings } = validate(textOf("config", values.config), tools);
    for (const warning of warnings) tools.printError(`[config] WARNING: ${warning}\n`);
    for (const problem of problems) tools.printError(`${problem}\n`);
    if (problems.length > 0) return failed;
    tools.print("ok\n");
    return 0;
  },
});

const listImages = command({
  word: "list",
  description: "Prints the images that manifests and addons name",
  flags: imageListFlags,
  async run(line, tools) {
    const images = imagesOf(initInput(line, tools).cluster, tools.naming);
    const shown = {
      kind: "Images",
      apiVersion: `output.${tools.naming.configurationGroup("orchadm")}/v1alpha3`,
      images,
    };
    const { output } = line.values;
    if (output === "json") tools.print(`${JSON.stringify(shown, undefined, 4)}\n`);
    else if (output === "yaml") tools.print(printYaml(shown));
    else tools.print(images.map((image) => `${image}\n`).join(""));
    return 0;
  },
});

const pullImages = command({
  word: "pull",
  description: "Has a container runtime pull these images",
  flags: imagePullFlags,
  async run(line, tools) {
    const socket = line.values["cri-socket"];
    if (socket === "") throw new Error("there is no container runtime here: name its socket by --cri-socket");
    for (const image of imagesOf(initInput(line, tools).cluster, tools.naming)) {
      await pull(image, socket, tools);
      tools.print(`[config/images] Pulled ${image}\n`);
    }
    return 0;
  },
});

const pullWithinMs = 10 * 60_000;
const mostOutput = 1024 * 1024;

/** The runtime's own protocol is spoken by its own program. */
async function pull(image: string, socket: string, { clock, environment }: Tools): Promise<void> {
  const end = await runProgram({
    ...{ command: "crictl", args: ["-r", socket, "pull", image], environment, clock, input: false },
    ...{ timeoutMs: pullWithinMs, outputBytes: mostOutput },
  });
  if (end.how === "missing") throw new Error("there is no program crictl, which speaks to container runtimes");
  if (end.how === "failed") throw new Error(`failed to pull image ${JSON.stringify(image)}: crictl ${end.why}`);
}

export const configCommand: CommandNode = group({
  word: "config",
  description: "Prints, migrates and checks configuration files",
  commands: [
    printCommand,
    migrateCommand,
    validateCommand,
    group({ word: "images", description: "Images of the components", commands: [listImages, pullImages] }),
  ],
});
