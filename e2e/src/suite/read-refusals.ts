import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query } from "../harness/http.js";
import { freshMaps } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const match = "resourceVersionMatch";
const unlessVersion = `Forbidden: ${match} is forbidden unless resourceVersion is provided`;
const whenContinue = `Forbidden: ${match} is forbidden when continue is provided`;
const exactZero = `Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`;
const unknownMatch = 'Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""';
const needsMatch = `Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`;
const needsInitial = `Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`;
const notExact = 'Unsupported value: "Exact": supported values: "NotOlderThan"';
const listInitial = "Forbidden: sendInitialEvents is forbidden for list";

/** What ListOptions may not say, with every cause that the answer names: texts about the match, then others. */
const invalid: readonly (readonly [query: Query, about: readonly string[], initial?: string])[] = [
  [{ [match]: "Exact" }, [unlessVersion]],
  [{ [match]: "Exact", limit: 5 }, [unlessVersion]],
  [{ [match]: "NotOlderThan" }, [unlessVersion]],
  [{ [match]: "NotOlderThan", limit: 5 }, [unlessVersion]],
  [{ [match]: "Exact", resourceVersion: 0 }, [exactZero]],
  [{ [match]: "Exact", resourceVersion: 0, limit: 5 }, [exactZero]],
  [{ [match]: "Sometimes", resourceVersion: 1 }, [unknownMatch]],
  [{ [match]: "Sometimes" }, [unlessVersion, unknownMatch]],
  [{ [match]: "Exact", resourceVersion: 1, continue: "x" }, [whenContinue]],
  [{ [match]: "NotOlderThan", continue: "x" }, [unlessVersion, whenContinue]],
  [{ sendInitialEvents: true }, [], listInitial],
  [{ sendInitialEvents: false }, [], listInitial],
  [{ sendInitialEvents: true, [match]: "NotOlderThan" }, [unlessVersion], listInitial],
  [{ watch: true, sendInitialEvents: true }, [needsMatch]],
  [{ watch: true, sendInitialEvents: false }, [needsMatch]],
  [{ watch: true, sendInitialEvents: true, resourceVersion: 1 }, [needsMatch]],
  [{ watch: true, sendInitialEvents: true, [match]: "Exact", resourceVersion: 1 }, [needsMatch, notExact]],
  [{ watch: true, [match]: "NotOlderThan", resourceVersion: 1 }, [needsInitial]],
  [{ watch: true, [match]: "Exact", resourceVersion: 1 }, [needsInitial, notExact]],
];

const uint = (text: string, why: string): string =>
  `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`;
const int = (text: string, why: string): string => `strconv.ParseInt: parsing "${text}": ${why}`;
const token = "invalid continue token: continue key is not valid: ";

/** Parameters that are not what they should be. */
const bad: readonly (readonly [query: Query, message: string])[] = [
  [{ resourceVersion: "latest" }, uint("latest", "invalid syntax")],
  [{ resourceVersion: "-1" }, uint("-1", "invalid syntax")],
  [{ resourceVersion: "1.5" }, uint("1.5", "invalid syntax")],
  [{ resourceVersion: "18446744073709551616" }, uint("18446744073709551616", "value out of range")],
  [{ resourceVersion: "x", [match]: "Exact" }, uint("x", "invalid syntax")],
  [{ resourceVersion: "x", watch: true }, uint("x", "invalid syntax")],
  [{ limit: "many" }, int("many", "invalid syntax")],
  [{ limit: "1.5" }, int("1.5", "invalid syntax")],
  [{ limit: "" }, int("", "invalid syntax")],
  [{ limit: "9223372036854775808" }, int("9223372036854775808", "value out of range")],
  [{ timeoutSeconds: "soon" }, int("soon", "invalid syntax")],
  [{ timeoutSeconds: "1s", watch: true }, int("1s", "invalid syntax")],
  [{ timeoutSeconds: "9223372036854775808", watch: true }, int("9223372036854775808", "value out of range")],
  [{ continue: "no token" }, `${token}illegal base64 data at input byte 2`],
  [{ continue: "garbage" }, `${token}server does not recognize this encoded version 129`],
  [{ continue: "x", resourceVersion: "y" }, "specifying resource version is not allowed when using continue"],
];

/** What reads may not ask, and how they are told (rules: Resource version semantics; Query parameters). */
export function readRefusalSuite(on: On): void {
  const asText = (query: Query): string =>
    Object.entries(query)
      .map(([name, value]) => `${name}=${value}`)
      .join("&");

  for (const [query, about, initial] of invalid) {
    test(`?${asText(query)} is refused with all that is wrong with it`, async () => {
      const { http, target } = on();
      const maps = await freshMaps(http);
      const causes = [
        ...about.map((message) => ({ message, field: match })),
        ...(initial === undefined ? [] : [{ message: initial, field: "sendInitialEvents" }]),
      ];
      const texts = causes.map(({ field, message }) => `${field}: ${message}`);
      const group = target.naming.metaGroup;
      const message = `ListOptions.${group} "" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`;
      const answer = await http.get(maps.path(), query);
      assertFailure(answer, { code: 422, reason: "Invalid", message });
      const reasonOf = (text: string): string =>
        text.startsWith("Forbidden") ? "FieldValueForbidden" : "FieldValueNotSupported";
      assert.deepEqual(answer.at("details"), {
        group,
        kind: "ListOptions",
        causes: causes.map(({ message, field }) => ({ reason: reasonOf(message), message, field })),
      });
    });
  }

  for (const [query, message] of bad) {
    test(`?${asText(query)} is refused with why`, async () => {
      const { http } = on();
      const maps = await freshMaps(http);
      assertFailure(await http.get(maps.path(), query), { code: 400, reason: "BadRequest", message });
    });
  }

  test("a get of a version that is no number is refused", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const answer = await http.get(maps.path("a"), { resourceVersion: "one" });
    assertFailure(answer, { code: 400, reason: "BadRequest", message: uint("one", "invalid syntax") });
  });

  test("numbers that mean nothing are taken for none: a limit or a timeout of 0 or below", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const name of ["a", "b"]) await maps.create(name);
    for (const query of [{ limit: 0 }, { limit: -1 }, { timeoutSeconds: 0 }, { timeoutSeconds: 5 }, { limit: "+5" }]) {
      const answer = await http.get(maps.path(), query);
      assert.equal(answer.items().length, 2, answer.text);
    }
  });
}
