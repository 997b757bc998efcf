import assert from "node:assert/strict";
import { test } from "node:test";
import { imageVersion } from "./image-reference.js";

const digest = `sha256:${"0".repeat(64)}`;

for (const [image, tag] of [
  ["a", "latest"],
  ["a:latest", "latest"],
  ["a/b-c/d__e:v1", "v1"],
  ["registry.example:5000/a", "latest"],
  ["registry.example:5000/a:v1", "v1"],
  ["localhost/a", "latest"],
  ["REGISTRY/a:v2", "v2"],
  ["[fd00::1]:5000/a", "latest"],
  [`a@${digest}`, ""],
  [`a:v1@${digest}`, "v1"],
  [`a:latest@${digest}`, "latest"],
] as const) {
  test(`the image ${image} has the tag ${tag}`, () => {
    assert.equal(imageVersion(image)?.tag, tag);
  });
}

for (const image of [
  "",
  "A",
  "a_",
  "-a",
  "a b",
  "/a",
  "a//b",
  "a:",
  "a:$(X)",
  "a@sha256:00",
  "a".repeat(256),
  "0".repeat(64),
]) {
  test(`${JSON.stringify(image.slice(0, 20))} names no image`, () => {
    assert.equal(imageVersion(image), undefined);
  });
}
