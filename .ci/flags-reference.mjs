// Makes docs/flags.md of the programs themselves, or tells whether it is what they would make of it.
// node .ci/flags-reference.mjs [--write]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { areNames } from "../services/cli/dist/command.js";
import { groups } from "../services/cli/dist/commands.js";

const path = "docs/flags.md";
/** Programs that are no command of orch. */
const others = [
  { title: "make start-distributed", script: "deploy/dist/main.js" },
  { title: "orch-envtest", script: "services/cli/dist/envtest/main.js" },
];
/** What a program knows of its process: no variable is set, so that defaults are those of the text. */
const world = { environment: {}, script: "services/cli/dist/main.js", now: () => 0 };

const opening = `# Flags

Every flag of every program, made from the programs by \`make docs\`; \`make verify\` fails where this file is not what they say.
\`orch COMMAND --help\` prints the same for one program ([cli](../services/cli/README.md) says what each is).

- \`--name=value\` and \`--name value\` are the same; a boolean flag takes no following word (\`--name\`, \`--name=false\`). Of a flag
  that is repeated the last value holds; lists and maps (\`list\`, \`key=bool,...\`) grow. A duration is \`10s\` or \`1m30s\`.
- Every service takes its flags from a file, too: \`--print-config\` prints the file that stands for a command line, \`--config\` reads it,
  and the command line wins over it ([its form](../libs/runtime/README.md#values-from-a-file)).
- A flag that is unknown or has a wrong value ends the start with exit code 2 and one line that says which; a start that fails for
  another reason ends with 1.
- The environment gives two defaults: \`ORCH_DATA\` that of \`--data-dir\`, \`ORCHCONFIG\` that of \`--orchconfig\` of \`orch cel\` and
  \`orch storage\`.
- \`--help=gates\` prints all feature gates with their stages.
`;

/** Text in a cell of a table; the lines of a long help stay lines. */
const cell = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll("|", "\\|")
    .replaceAll("*", "\\*")
    .replace(/\n */g, "<br>");
const code = (text) => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);
const anchor = (title) => title.toLowerCase().replaceAll(" ", "-");
const dashed = (name) => (name.length === 1 ? `-${name}` : `--${name}`);

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** What `--help` prints, for programs that read their arguments themselves. */
const helpOf = (...argv) => execFileSync(process.execPath, [...argv, "--help"], { encoding: "utf8" }).trimEnd();
const block = (text) => `\`\`\`\n${text}\n\`\`\``;

const flagRow = (name, flag) => [`\`${dashed(name)}\``, code(flag.type), code(flag.shownDefault), cell(flag.help)];

/** The services share most of their flags: one row a flag, with the programs that take it. */
async function serviceTables(services) {
  const sections = new Map();
  for (const service of services) {
    for (const [name, flag] of Object.entries(await service.flags(world))) {
      const rows = sections.get(flag.group) ?? new Map();
      sections.set(flag.group, rows);
      const row = flagRow(name, flag);
      const key = row.join("\n");
      rows.set(key, { row, words: [...(rows.get(key)?.words ?? []), service.word] });
    }
  }
  const takers = (words) => (words.length === services.length ? "all" : words.join(", "));
  return [...sections].map(([title, rows]) => {
    const cells = [...rows.values()].map(({ row, words }) => [...row, takers(words)]);
    return { title, text: table(["flag", "value", "default", "what it does", "programs"], cells) };
  });
}

async function toolSection(command) {
  const flags = await command.flags(world);
  const isPlain = areNames(flags);
  if (isPlain && flags.length === 0) return `### orch ${command.word}\n\n${command.description}`;
  const text = isPlain
    ? block(command.word === "version" ? "usage: orch version [--json]" : helpOf(world.script, command.word))
    : table(
        ["flag", "value", "default", "what it does"],
        Object.entries(flags).map((each) => flagRow(...each)),
      );
  return `### orch ${command.word}\n\n${cell(command.description)}\n\n${text}`;
}

async function reference() {
  const services = groups.find(({ title }) => title === "Services").commands;
  const tools = groups.filter(({ title }) => title !== "Services").flatMap(({ commands }) => commands);
  const tables = await serviceTables(services);
  const names = tables.map(({ title }) => `[${title}](#${anchor(title)})`).join(", ");
  return [
    opening,
    `## Programs\n\n${table(
      ["program", "what it is"],
      services.map(({ word, description }) => [`\`orch ${word}\``, cell(description)]),
    )}\n\nTheir flags by subject: ${names}.\n`,
    ...tables.map(({ title, text }) => `### ${title}\n\n${text}\n`),
    "## Tools\n",
    ...(await Promise.all(tools.map(async (tool) => `${await toolSection(tool)}\n`))),
    ...others.map(({ title, script }) => `### ${title}\n\n${block(helpOf(script))}\n`),
  ].join("\n");
}

const text = await reference();
const rows = text.match(/^\| `-/gm)?.length ?? 0;
if (process.argv.includes("--write")) writeFileSync(path, text);
const isCurrent = text === readFileSync(path, "utf8");
console.log(
  `${rows} flags; ${path} ${isCurrent ? "is current" : "is not what the programs say: make docs writes it anew"}`,
);
process.exit(isCurrent && rows > 100 ? 0 : 1);
