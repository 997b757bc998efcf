import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { parseSchedule } from "@orch/service-controller-manager/cronjobs/schedule.js";
import { createZones } from "@orch/service-controller-manager/cronjobs/zones.js";
import { buildGoProgram } from "../clients/go-program.js";
import { type Draw, draws } from "./random-slices.js";

interface Question {
  readonly schedule: string;
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly after: number;
  readonly count: number;
}

interface Answer {
  readonly problem?: string;
  readonly times: readonly number[];
}

const zones = createZones();
const count = 6;

function ours({ schedule, zone, after, count }: Question): Answer {
  const offsetAt = zones(zone);
  assert.ok(offsetAt, zone);
  const parsed = parseSchedule(schedule, offsetAt);
  if (!parsed.ok) return { problem: parsed.problem, times: [] };
  const times: number[] = [];
  for (let at: number | undefined = after; times.length < count; ) {
    at = parsed.schedule.next(at);
    if (at === undefined) break;
    times.push(at);
  }
  return { times };
}

/** Clocks that change by an hour at night, or not at all; behind UTC and ahead of it, by odd minutes too. */
const places = [
  ...[
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "UTC",
    "Pacific/Apia",
    "Europe/London",
    "America/St_Johns",
  ],
];
/** Clocks that change by half an hour, or at midnight: there the module leaves out times that come. */
const oddPlaces = ["Australia/Lord_Howe", "Asia/Beirut", "America/Sao_Paulo", "America/Santiago", "Africa/Cairo"];
const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

function randomField(draw: Draw, [min, max]: readonly [number, number]): string {
  const value = () => min + draw(max - min + 1);
  const [low, high] = [value(), value()].sort((a, b) => a - b);
  const part = [
    `${value()}`,
    `${low}-${high}`,
    `${low}-${high}/${1 + draw(9)}`,
    `*/${1 + draw(12)}`,
    "*",
    "?",
    `${low}/7`,
  ];
  const first = part[draw(part.length)] ?? "*";
  return draw(4) === 0 ? `${first},${value()}` : first;
}

function randomQuestion(draw: Draw, among: readonly string[]): Question {
  const named = [
    "@daily",
    "@hourly",
    "@weekly",
    "@monthly",
    "@yearly",
    "@every 1h30m",
    "@every 45s",
    "0 0 31 2 *",
    "30 2 29 2 *",
  ];
  // A sparse schedule is one of some hours or days: most of what changes clocks happens there.
  const fields = bounds.map((each) => (draw(2) === 0 ? "*" : randomField(draw, each)));
  const schedule =
    draw(8) === 0 ? (named[draw(named.length)] ?? "@daily") : [`${draw(60)}`, ...fields.slice(1)].join(" ");
  // Within two days of a change, half the time.
  const changes = [
    "2024-03-31T00:00Z",
    "2024-10-27T00:00Z",
    "2024-03-10T06:00Z",
    "2024-11-03T05:00Z",
    "2024-10-05T15:00Z",
  ];
  const change = Date.parse(changes[draw(changes.length)] ?? "");
  const day = 86_400_000;
  const after = draw(2) === 0 ? change + (draw(4 * 1440) - 2880) * 60_000 : Date.parse("2012-01-01") + draw(9000) * day;
  return { schedule, zone: among[draw(among.length)] ?? "UTC", after: after + draw(60_000), count };
}

async function ask(program: string, questions: readonly Question[]): Promise<readonly Answer[]> {
  const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(questions.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const answers: Answer[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
  return answers;
}

const utc = (times: readonly number[]) => times.map((at) => new Date(at).toISOString());

describe("schedules of cron jobs", () => {
  let folder = "";
  let program = "";
  let missing: string | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-cron-"));
    program = join(folder, "cron");
    missing = await buildGoProgram({ module: "go", package: "./cron", to: program });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const answered = async (cases: number, among: readonly string[]) => {
    const questions = Array.from({ length: cases }, (_, seed) => randomQuestion(draws(seed), among));
    const answers = await ask(program, questions);
    assert.equal(answers.length, questions.length);
    return questions.map((question, at) => ({ question, theirs: answers[at] ?? { times: [] } }));
  };

  test("are due when the reference's module says so, also where clocks change", async (t) => {
    if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
    const different = (await answered(3000, places)).flatMap(({ question, theirs }) => {
      const mine = ours(question);
      assert.equal(mine.problem === undefined, theirs.problem === undefined, question.schedule);
      const [have, want] = [utc(mine.times), utc(theirs.times)];
      return have.join() === want.join() ? [] : [{ question, have, want }];
    });
    assert.deepEqual(different.slice(0, 5), [], `${different.length} differ`);
  });

  test("leave out nothing that it has where clocks change by half an hour or at midnight", async (t) => {
    if (missing !== undefined) return t.skip(`SKIPPED: ${missing}`);
    for (const { question, theirs } of await answered(1000, oddPlaces)) {
      const mine = new Set(ours({ ...question, count: 6 * count }).times);
      assert.deepEqual(utc(theirs.times.filter((at) => !mine.has(at))), [], JSON.stringify(question));
    }
  });
});
