import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ApiError,
  continueExpired,
  invalid,
  modified,
  notFound,
  patchRejected,
  tooLargeResourceVersion,
} from "./api-error.js";
import { fieldError } from "./field-error.js";

const configmaps = { group: "", resource: "configmaps" };

test("a Status has the reference's shape", () => {
  assert.deepEqual(notFound(configmaps, "zzz").toStatus(), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'configmaps "zzz" not found',
    reason: "NotFound",
    details: { name: "zzz", kind: "configmaps" },
    code: 404,
  });
});

test("a group qualifies the resource in texts and stands in the details", () => {
  const error = modified({ group: "apps", resource: "deployments" }, "d");
  assert.equal(
    error.message,
    'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
  );
  assert.deepEqual(error.details, { name: "d", group: "apps", kind: "deployments" });
});

test("an invalid object lists every cause, in brackets where there are several", () => {
  const one = fieldError.invalid("spec.ports[0].port", 0, "must be between 1 and 65535, inclusive");
  const two = fieldError.required("data[tls.crt]");
  assert.equal(
    invalid({ group: "", kind: "Service" }, "s", [one]).message,
    'Service "s" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
  );
  const both = invalid({ group: "g", kind: "Service" }, "s", [one, two]);
  assert.match(
    both.message,
    /^Service\.g "s" is invalid: \[spec\.ports\[0\]\.port: .*, data\[tls\.crt\]: Required value\]$/,
  );
  assert.deepEqual(both.details?.causes, [one, two]);
});

test("an error survives the way through a Status body", () => {
  for (const error of [tooLargeResourceVersion(9, 3), continueExpired("token")]) {
    const back = ApiError.fromStatus(JSON.parse(JSON.stringify(error.toStatus())));
    assert.deepEqual(back.toStatus(), error.toStatus());
  }
});

test("a fault answers 500 and keeps its text to itself", () => {
  const error = ApiError.from(new TypeError("secret detail"));
  assert.equal(error.code, 500);
  assert.doesNotMatch(error.message, /secret/);
  assert.ok(error.cause instanceof TypeError);
});

test("an object that is wrong in many places is answered with the first thousand", () => {
  const errors = Array.from({ length: 1002 }, (_, i) => fieldError.required(`spec.f${i}`, ""));
  const error = invalid({ group: "", kind: "Pod" }, "p", errors);
  assert.equal(error.details?.causes?.length, 1000);
  assert.match(error.message, /spec\.f999: Required value, and 2 more\]$/);
});

test("a patch that does not fit keeps what is wrong for the log", () => {
  const { message, reason, details, code } = patchRejected("nothing at /data/none").toStatus();
  assert.deepEqual(
    { message, reason, details, code },
    {
      message: "the server rejected our request due to an error in our request",
      reason: "Invalid",
      details: {},
      code: 422,
    },
  );
});
