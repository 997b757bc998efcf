import assert from "node:assert/strict";
import { test } from "node:test";
import { createRightsJournal } from "./rights-journal.js";

const user = (name: string, ...groups: string[]) => ({ name, uid: "", groups, extra: {} });

test("a journal tells whose rights have changed since a revision", () => {
  const journal = createRightsJournal();
  journal.begin("roles", 10);
  journal.add({ of: "users", name: "before" });
  journal.at("rolebindings", 12);
  journal.add({ of: "users", name: "bob" });
  journal.at("rolebindings", 15);
  journal.add({ of: "groups", name: "dev" });
  const since = (revision: number, ...who: Parameters<typeof user>) => journal.changedSince(user(...who), revision);
  assert.equal(since(9, "eve"), true, "what was before is not known");
  assert.deepEqual([since(10, "eve"), since(11, "bob"), since(12, "bob")], [false, true, false]);
  assert.deepEqual([since(14, "eve", "dev"), since(15, "eve", "dev"), since(14, "dev")], [true, false, false]);
  assert.deepEqual(journal.revisions(), [0, 0, 10, 15]);
});

test("a journal forgets what is old, and says so", () => {
  const journal = createRightsJournal();
  for (let revision = 1; revision <= 20_000; revision++) {
    journal.at("roles", revision);
    journal.add({ of: "users", name: "bob" });
  }
  assert.equal(journal.changedSince(user("eve"), 5000), true);
  assert.equal(journal.changedSince(user("eve"), 15_000), false);
  assert.equal(journal.changedSince(user("bob"), 19_999), true);
});
