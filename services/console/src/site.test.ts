import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { siteFolder } from "./site.js";

test("all of the console takes less than 150 KB on its way to a browser", async () => {
  const entries = await readdir(siteFolder, { recursive: true, withFileTypes: true });
  const small = entries.filter(({ name }) => name.endsWith(".gz"));
  assert.ok(small.length >= 3, "the site is not built");
  const sizes = await Promise.all(
    small.map(async ({ parentPath, name }) => (await stat(`${parentPath}/${name}`)).size),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 150_000, `${total} bytes`);
});

test("the page runs nothing and paints nothing of its own, and asks nobody else", async () => {
  const page = await readFile(new URL("index.html", siteFolder), "utf8");
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]* src="\.\/)|\son\w+=|https?:/);
  assert.ok(gzipSync(page).length < 1000);
});
