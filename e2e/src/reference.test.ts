import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Answer, type Server, startServer, temporaryFolder } from "./command-line-program.js";
import { assertHas, assertMatches, expand, type Row, readSections, valueAt } from "./reference-rows.js";

test("every request of the table is answered as the reference answers it", async (t) => {
  const tokens = join(await temporaryFolder(t), "tokens.csv");
  await writeFile(tokens, "bobs-token,bob,1\n");
  // What that plugin puts into a pod has random names, and is not in the table.
  const server = await startServer(t, {
    args: [`--token-auth-file=${tokens}`, "--disable-admission-plugins=ServiceAccount"],
  });
  const kept = new Map<string, string>();
  for (const section of readSections()) {
    await t.test(section.title, async (inSection) => {
      for (const row of section.rows) await inSection.test(row.title, () => check(server, row, kept));
    });
  }
});

const tokensOf = { somebody: "bobs-token", nobody: "", "a stranger": "unknown" } as const;

async function check(server: Server, row: Row, kept: Map<string, string>): Promise<void> {
  const [method = "", path = ""] = filled(row.request, kept).split(" ");
  const body = row.body === undefined ? row.bodyText : JSON.stringify(expand(row.body));
  const contentType = row.contentType ?? "application/json";
  const answer = await server.ask(path, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": contentType }), ...row.headers },
    ...(body === undefined ? {} : { body: filled(body, kept) }),
    ...(row.as === undefined ? {} : { token: tokensOf[row.as] }),
  });
  // What earlier rows kept may stand in the expected answer as well.
  checkAnswer(JSON.parse(filled(JSON.stringify(row), kept)), answer);
  for (const [name, at] of Object.entries(row.keep ?? {})) kept.set(name, valueAt(JSON.parse(answer.body), at));
}

function filled(text: string, kept: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => kept.get(name) ?? assert.fail(`nothing kept as ${name}`));
}

function checkAnswer(row: Row, answer: Answer): void {
  assert.equal(answer.status, row.status, answer.body.slice(0, 2000));
  for (const [name, value] of Object.entries(row.answerHeaders ?? {})) {
    assertMatches(answer.headers[name], value, `the header ${name}`);
  }
  if (row.warnings !== undefined) assert.deepEqual(warningsOf(answer), row.warnings);
  if (row.text !== undefined) assertMatches(answer.body, row.text, "the body");
  if (row.object !== undefined) assertHas(JSON.parse(answer.body), row.object, "the answer");
  if (row.reason !== undefined) checkStatus(row, JSON.parse(answer.body));
}

function checkStatus(row: Row, status: Record<string, unknown>): void {
  const { kind, apiVersion, metadata, code } = status;
  assert.deepEqual(
    { kind, apiVersion, metadata, status: status["status"], code },
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: row.status },
  );
  assert.equal(status["reason"], row.reason);
  assertMatches(status["message"], row.message, "message");
  assertMatches(status["details"], row.details, "details");
}

function warningsOf({ rawHeaders }: Answer): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "warning");
}
