import assert from "node:assert/strict";
import { test } from "node:test";
import { invalid } from "./api-error.js";
import { enoughErrors, errorsOfEach } from "./errors-of-each.js";
import { fieldError } from "./field-error.js";

test("of a list with a million errors the first are looked for, and the answer says that there are more", () => {
  let looked = 0;
  const errors = errorsOfEach(
    Array.from({ length: 1_000_000 }, (_, i) => i),
    (i) => {
      looked++;
      return [fieldError.required(`a[${i}]`), fieldError.required(`b[${i}]`)];
    },
  );
  assert.deepEqual([errors.length, looked], [enoughErrors, enoughErrors / 2]);
  assert.equal(errors[2]?.field, "a[1]");
  assert.match(invalid({ group: "", kind: "K" }, "k", errors).message, /, and at least 9000 more\]$/);
});

test("an absent list has none", () =>
  assert.deepEqual(
    errorsOfEach(undefined, () => [fieldError.required("a")]),
    [],
  ));
