import assert from "node:assert/strict";
import { test } from "node:test";
import { compileDeviceSelector, type DeviceSelection } from "./devices.js";

const device = {
  driver: "gpu.example.com",
  attributes: { model: { string: "a100" }, "other.example.com/rack": { int: 3 }, firmware: { version: "1.10.0" } },
  capacity: { memory: { value: "40Gi" } },
};

const rows: readonly (readonly [expression: string, is: boolean | RegExp])[] = [
  ['device.driver == "gpu.example.com"', true],
  ['device.attributes["gpu.example.com"].model == "a100"', true],
  ['device.attributes["other.example.com"].rack == 4', false],
  ['device.capacity["gpu.example.com"].memory.compareTo(quantity("32Gi")) >= 0', true],
  ['device.attributes["gpu.example.com"].firmware.isGreaterThan(semver("1.9.0"))', true],
  ['"x" in device.attributes["nobody.example.com"]', false],
  ['device.attributes["gpu.example.com"].missing == "x"', /no such key/],
  ["device.driver ==", /Syntax error/],
];
for (const [expression, is] of rows) {
  test(`selector of devices: ${expression}`, () => {
    const got: DeviceSelection = compileDeviceSelector(expression, "orch")(device);
    if (typeof is === "boolean") assert.deepEqual(got, { ok: true, matches: is });
    else assert.match(got.ok ? "" : got.error, is);
  });
}
