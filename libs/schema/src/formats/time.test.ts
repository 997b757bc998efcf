import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalTime } from "./time.js";

const digits = (value: number, width = 2): string => String(value).padStart(width, "0");

/** What Date makes of a text, where it gives it back: it lets a 31 April be a 1 May. */
function byDate(text: string): string | undefined {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  return new Date(milliseconds).toISOString().slice(0, 19) === text.slice(0, 19) ? text : undefined;
}

test("a time is one that the calendar has", () => {
  for (const year of [0, 4, 100, 400, 1582, 1900, 1970, 2000, 2023, 2024, 2100, 9999]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${digits(year, 4)}-${digits(month)}-${digits(day)}T12:30:59Z`;
        assert.equal(canonicalTime(text), byDate(text), text);
      }
    }
  }
});

test("a time is one that a clock shows", () => {
  for (const part of [0, 9, 23, 24, 25, 59, 60, 61, 99]) {
    for (const clock of [`${digits(part)}:00:00`, `00:${digits(part)}:00`, `00:00:${digits(part)}`]) {
      const text = `2024-02-29T${clock}Z`;
      assert.equal(canonicalTime(text), byDate(text), text);
    }
  }
});
