import assert from "node:assert/strict";
import { test } from "node:test";
import { createReach } from "./reach.js";

test("a store that cannot be reached is told once, each 30 s, and once when it is back", () => {
  const lines: string[] = [];
  let at = 0;
  const tell =
    (level: string) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      lines.push(`${at / 1000} ${level} ${message} ${JSON.stringify(fields)}`);
    };
  const logger = { info: tell("info"), warn: tell("warn"), error: tell("error") };
  const reach = createReach({ endpoints: ["http://127.0.0.1:1"], logger, now: () => at });
  reach.answered();
  for (; at < 70_000; at += 500) reach.failed("refused");
  reach.answered();
  reach.answered();
  reach.failed("refused");
  const of = '{"endpoints":["http://127.0.0.1:1"],';
  assert.deepEqual(lines, [
    `0 error the store cannot be reached; trying on ${of}"why":"refused","seconds":0}`,
    `30 error the store cannot be reached; trying on ${of}"why":"refused","seconds":30}`,
    `60 error the store cannot be reached; trying on ${of}"why":"refused","seconds":60}`,
    `70 info the store answers again ${of}"seconds":70}`,
    `70 error the store cannot be reached; trying on ${of}"why":"refused","seconds":0}`,
  ]);
});
