import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import { releaseFlags, releaseSettings } from "@orch/runtime/flags/release-flags.js";
import { watchCacheDefaults } from "./config.js";
import { watchCacheFlags } from "./flags.js";
import { watchCacheSettings } from "./settings.js";

function settingsOf(...argv: readonly string[]) {
  const flags = { ...watchCacheFlags, ...releaseFlags };
  const line = readCommandLine({ name: "x", description: "", version: "", flags }, argv);
  assert.ok(line.run);
  const release = releaseSettings(line.values);
  assert.ok(release.ok);
  return watchCacheSettings(line.values, release.value);
}

test("without flags the defaults hold", () => {
  assert.deepEqual(settingsOf("--feature-gates=WatchList=true"), watchCacheDefaults);
});

test("history and bookmarks are as the flags say, streaming lists as their gate says", () => {
  assert.deepEqual(
    settingsOf(
      "--history-duration=10s",
      "--history-megabytes=4096",
      "--bookmark-interval=1s",
      "--feature-gates=WatchList=false",
    ),
    { ...watchCacheDefaults, historyMs: 10_000, historyBytes: 4 * 1024 ** 3, bookmarkMs: 1000, streamingLists: false },
  );
});
