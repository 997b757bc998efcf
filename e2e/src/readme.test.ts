import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root, run, startServer, temporaryFolder } from "./command-line-program.js";

const haveCurl = spawnSync("curl", ["--version"]).status === 0;
const noCurl = haveCurl ? false : "SKIPPED: there is no curl here";
if (!haveCurl) process.stderr.write("\n*** the README's samples are not tried: there is no curl here\n\n");

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a section, in their order. */
function blocksOf(markdown: string, heading: string): readonly Block[] {
  const [, section = ""] = markdown.split(`\n## ${heading}\n`);
  const [own = ""] = section.split("\n## ");
  return [...own.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({ language, text }));
}

const varying = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME"],
  [/(resourceVersion"?: ?")\d+/g, "$1VERSION"],
  [/127\.0\.0\.1:\d+/g, "ADDRESS"],
] as const;

const settled = (text: string): string =>
  varying.reduce((known, [pattern, word]) => known.replace(pattern, word), text);

/** `…` stands for the rest of a line, on a line of its own for any lines. */
function assertShown(actual: string, sample: string): void {
  const words = settled(sample).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = words.replace(/^ *…\n/gm, "(?:.*\\n)+").replaceAll("…", ".*");
  assert.match(settled(actual), new RegExp(`^${pattern}$`), `the README says:\n${sample}`);
}

/** What runs in the background prints when it likes. */
const sorted = (lines: string): string => `${lines.trimEnd().split("\n").sort().join("\n")}\n`;

test("the samples of the README are what a server answers today", { skip: noCurl }, async (t) => {
  const blocks = blocksOf(await readFile(join(root, "README.md"), "utf8"), "Two minutes");
  const [greeting, ...rest] = blocks;
  assert.ok(greeting !== undefined && rest.filter(({ language }) => language === "sh").length >= 3);
  const cwd = await temporaryFolder(t);
  const server = await startServer(t, { dialect: "orch", dataDir: join(cwd, ".orch"), cwd });
  assertShown(server.output(), greeting.text);
  const local = (script: string): string => script.replaceAll("127.0.0.1:6443", `127.0.0.1:${server.port}`);
  // One terminal: what a block defines, the next ones use.
  const defined: string[] = [];
  for (const [at, { language, text }] of rest.entries()) {
    if (language !== "sh") continue;
    const sample = run(t, ["sh", "-c", [...defined, local(text)].join("\n")], { cwd });
    assert.deepEqual(await sample.exit, { code: 0, signal: null }, sample.errors());
    const inOrder = text.includes(" &\n") ? sorted : (lines: string) => lines;
    assertShown(inOrder(sample.output()), inOrder(rest[at + 1]?.text ?? ""));
    defined.push(...(local(text).match(/^(?:orch\(\)|maps=).*$/gm) ?? []));
  }
});
