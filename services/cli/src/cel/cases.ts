import { type CaseRow, canonical, differences, type Got, parseRow, runCase } from "@orch/cel/cases/run.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { runMutationCase, runPolicyCase, runWebhookCase } from "./admission-cases.js";
import { configurationCase } from "./configuration-case.js";
import { definitionCase, runDefinition, wantedOf } from "./definition-cases.js";
import { dialectOf, Unusable, type World } from "./world.js";

/**
 * Runs rows of cases, a line of JSON each, and prints each that differs: its id, what was expected, what came. Rows of
 * kinds that an expression alone does not answer are counted and passed over.
 */
export async function runCases(path: string, dialectName: string, world: World): Promise<number> {
  const dialect = dialectOf(dialectName);
  let held = 0;
  let differ = 0;
  const passed = new Map<string, number>();
  const lines = world.files.read(path).toString("utf8").split("\n");
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const row = read(line, `${path}:${i + 1}`);
    const answer = await answerTo(row, dialect);
    if (answer === undefined) {
      passed.set(row.kind, (passed.get(row.kind) ?? 0) + 1);
      continue;
    }
    const { want, got } = answer;
    const wrong = differences(want, got);
    if (wrong === undefined) held += 1;
    else {
      differ += 1;
      world.print(`${row.id}\n  expected ${part(want, wrong)}\n  got      ${part(got, wrong)}`);
    }
  }
  for (const [kind, count] of passed) world.print(`${count} of kind ${kind} not run`);
  world.print(`${held} held, ${differ} differ`);
  return differ === 0 ? 0 : 1;
}

interface Answered {
  readonly want: Got;
  readonly got: Got;
}

/** What is wanted of a row and what came of it; undefined for kinds that are not served. */
export async function answerTo(row: CaseRow, dialect: Dialect): Promise<Answered | undefined> {
  const definition = row.kind === "crd" ? definitionCase(Reflect.get(row, "crd")) : undefined;
  if (definition !== undefined) {
    return { want: wantedOf(row.want, definition), got: runDefinition(definition, dialect) };
  }
  const got = gotOf(row, dialect) ?? (await configurationCase({ ...row }, createNaming(dialect)));
  return got && { want: row.want, got };
}

function gotOf(row: CaseRow, dialect: Dialect): Got | undefined {
  switch (row.kind) {
    case "policy":
      return runPolicyCase({ ...row }, dialect);
    case "mutation":
      return runMutationCase({ ...row }, dialect);
    case "webhook":
      return runWebhookCase({ ...row }, dialect);
    default:
      return runCase(row, dialect);
  }
}

function read(line: string, where: string): ReturnType<typeof parseRow> {
  try {
    return parseRow(line, readJson);
  } catch {
    throw new Unusable(`${where}: no JSON`);
  }
}

/** The fields that differ. */
function part(all: Got, wrong: Got): string {
  return canonical(Object.fromEntries(Object.keys(wrong).map((key) => [key, all[key]])));
}
