import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfFormat, type TextFormat, textFormat } from "./text-formats.js";

const rows: Readonly<Record<TextFormat, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  bsonobjectid: { good: ["507f1f77bcf86cd799439011"], bad: ["507f1f77bcf86cd79943901", "x07f1f77bcf86cd799439011"] },
  byte: { good: ["YWJj", "YQ==", "YWI="], bad: ["", "%%%", "YWJ", "Y=Jj"] },
  cidr: { good: ["10.0.0.0/8", "fd00::/8"], bad: ["10.0.0.0", "10.0.0.0/33", "010.0.0.0/8"] },
  creditcard: { good: ["4111 1111 1111 1111", "5555555555554444"], bad: ["4111111111111112", "1", ""] },
  date: { good: ["2024-02-29", "2000-12-31"], bad: ["2023-02-29", "2024-13-01", "24-01-01", "2024-01-00"] },
  datetime: {
    good: ["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.123+02:00"],
    bad: ["yesterday", "2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00"],
  },
  duration: { good: ["1h30m", "22 ns", "3 week", "5 seconds"], bad: ["", "x", "5 y"] },
  email: {
    good: ["a@b.c", "Ann <a@b>", '"a b"@c.d', "first.last+tag@example.com"],
    bad: ["a", "a@", "@b", "a b@c", "a..b@c", "<a@b"],
  },
  hexcolor: { good: ["#FFF", "a0b1c2"], bad: ["#FF", "#GGG"] },
  hostname: { good: ["localhost", "example.com", "1.example.org"], bad: ["-a.com", "a_b.com", "", "a..b", "a.c-"] },
  ipv4: { good: ["1.2.3.4"], bad: ["1.2.3", "1.2.3.256", "::1", "01.2.3.4"] },
  ipv6: { good: ["::1", "2001:db8::ffff"], bad: ["1.2.3.4", ":::", "g::"] },
  isbn: { good: ["0321751043", "978-0321751041"], bad: ["0321751044", "x"] },
  isbn10: { good: ["0321751043"], bad: ["978-0321751041"] },
  isbn13: { good: ["978-0321751041"], bad: ["978-0321751042"] },
  mac: {
    good: ["01:23:45:67:89:ab", "01-23-45-67-89-ab-cd-ef", "0123.4567.89ab"],
    bad: ["01:23:45:67:89", "0123.4567"],
  },
  password: { good: ["", "anything"], bad: [] },
  rgbcolor: { good: ["rgb(0,128,255)", "rgb( 1, 2, 3 )"], bad: ["rgb(256,0,0)", "rgb(01,0,0)", "#fff"] },
  ssn: { good: ["123-45-6789", "123 45 6789"], bad: ["123456789", "12-345-6789"] },
  uri: {
    good: ["http://a.b/c?d=e", "/path", "urn:x:y", "http://[::1]:80/"],
    bad: ["", "a b", "relative", "http://a b/", "/%zz"],
  },
  uuid: { good: ["123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"], bad: ["123e4567", ""] },
  uuid3: { good: ["123e4567-e89b-32d3-a456-426614174000"], bad: ["123e4567-e89b-42d3-a456-426614174000"] },
  uuid4: { good: ["123e4567-e89b-42d3-a456-426614174000"], bad: ["123e4567-e89b-42d3-c456-426614174000"] },
  uuid5: { good: ["123e4567-e89b-52d3-b456-426614174000"], bad: ["123e4567-e89b-12d3-a456-426614174000"] },
};

for (const [name, { good, bad }] of Object.entries(rows)) {
  const format = textFormat(name);
  for (const text of good) {
    test(`${JSON.stringify(text)} is of the format ${name}`, () => {
      assert.ok(format !== undefined && isOfFormat(format, text));
    });
  }
  for (const text of bad) {
    test(`${JSON.stringify(text)} is not of the format ${name}`, () => {
      assert.ok(format !== undefined && !isOfFormat(format, text));
    });
  }
}

test("a format may be written with hyphens, and an unknown one is none", () => {
  assert.equal(textFormat("date-time"), "datetime");
  assert.equal(textFormat("int32"), undefined);
  assert.equal(textFormat("constructor"), undefined);
});
