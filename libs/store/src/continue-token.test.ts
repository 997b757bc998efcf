import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseToken, printToken, type TokenSeal } from "./continue-token.js";

const seal: TokenSeal = { key: Buffer.alloc(32, 7), list: "configmaps|a" };
const token = { revision: 7, after: "a/b", remaining: 3 };
const why = "invalid continue token: continue key is not valid: ";

test("a token is read as it was written", () => {
  const name = fc.stringMatching(/^[a-z0-9.:-]{1,253}$/);
  fc.assert(
    fc.property(
      fc.nat(2 ** 31).map((n) => n * 1000),
      fc.oneof(
        name,
        fc.tuple(name, name).map((parts) => parts.join("/")),
      ),
      fc.option(fc.nat(), { nil: undefined }),
      (revision, after, remaining) => {
        const written = { revision, after, remaining };
        assert.deepEqual(parseToken(printToken(written, seal), seal), written);
      },
    ),
  );
});

test("a token with any bit changed, a byte more or a byte less is refused", () => {
  const bytes = Buffer.from(printToken(token, seal), "base64url");
  const refused = (changed: Buffer): void =>
    assert.throws(() => parseToken(changed.toString("base64url"), seal), { code: 400, reason: "BadRequest" });
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    refused(changed);
  }
  for (let length = 0; length < bytes.length; length++) refused(bytes.subarray(0, length));
  refused(Buffer.concat([bytes, Buffer.alloc(1)]));
});

const good = printToken(token, seal);
const oneOf = (list: string, key = seal.key): string => printToken(token, { key, list });
const rows: readonly (readonly [what: string, text: string, message: string])[] = [
  ["no base64url", "a.b", `${why}illegal base64 data at input byte 1`],
  ["padded", `${good}=`, `${why}illegal base64 data at input byte ${good.length}`],
  [
    "of another version",
    Buffer.from([9, 1, 2]).toString("base64url"),
    `${why}server does not recognize this encoded version 9`,
  ],
  ["empty", "", `${why}server does not recognize this encoded version 0`],
  ["too short", good.slice(0, 20), `${why}it has not the length of one`],
  ["too long", good.slice(0, 20).repeat(60), `${why}it has not the length of one`],
  ["of another resource", oneOf("secrets|a"), `${why}it was not made for this list`],
  ["of another namespace", oneOf("configmaps|b"), `${why}it was not made for this list`],
  ["of all namespaces", oneOf("configmaps|"), `${why}it was not made for this list`],
  ["of another cluster", oneOf(seal.list, Buffer.alloc(32, 8)), `${why}it was not made for this list`],
];
for (const [what, text, message] of rows) {
  test(`a token that is ${what} is refused`, () => assert.throws(() => parseToken(text, seal), { code: 400, message }));
}

test("one token has one text", () => {
  for (const after of ["a", "ab", "abc"]) {
    const text = printToken({ ...token, after }, seal);
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const other = text.slice(0, -1) + last;
      if (other !== text) assert.throws(() => parseToken(other, seal), { code: 400 });
    }
  }
});
