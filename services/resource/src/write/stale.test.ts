import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { key } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { marking } from "@orch/store/testing/transformers.js";
import { transformed } from "@orch/store/transformed.js";
import { openBed } from "../testing/bed.js";

const object = { metadata: { name: "a" }, data: { greeting: "hi" } };
const applied = { apiVersion: "v1", kind: "ConfigMap", ...object };

interface Way {
  readonly request: Partial<WriteRequest>;
  /** Of the object as it was answered. */
  readonly body: (live: AnyObject) => object;
}

const applying: Way = {
  request: {
    verb: "patch",
    name: "a",
    contentType: "application/apply-patch+yaml",
    options: { fieldManager: "me" },
  },
  body: () => applied,
};

/** How a client says that nothing is to change. */
const ways: Readonly<Record<string, Way>> = {
  "an update": { request: { verb: "update", name: "a" }, body: () => object },
  "an update of times alone": {
    request: { verb: "update", name: "a", options: { fieldManager: "me" } },
    body: (live) => ({
      ...live,
      metadata: {
        ...live.metadata,
        resourceVersion: undefined,
        managedFields: live.metadata.managedFields?.map((entry) => ({ ...entry, time: "2024-01-01T00:00:00Z" })),
      },
    }),
  },
  "a merge patch": {
    request: { verb: "patch", name: "a", contentType: "application/merge-patch+json" },
    body: () => ({}),
  },
  "an apply": applying,
};

/** A resource service on a store that marks what it stores with the mark of now. */
async function start(t: TestContext, thread: boolean) {
  const bed = await openBed(t, "kubernetes");
  let mark = "old";
  const store = transformed(
    bed.store,
    marking(() => mark),
  );
  const begin = () => bed.start({ store, thread });
  const stored = async (): Promise<Entry> => {
    const entry = await bed.store.get(key(`${bed.naming.storePrefix}configmaps/default/a`));
    assert.ok(entry);
    return entry;
  };
  const rotate = (): void => {
    mark = "new";
  };
  return { begin, stored, rotate };
}

const bytes = ({ value }: Entry): string => value.toString();

for (const [name, { request, body }] of Object.entries(ways)) {
  for (const by of ["the service that wrote it", "another one"] as const) {
    test(`${name} that changes nothing, by ${by}, writes a stale state anew, once`, async (t) => {
      const { begin, stored, rotate } = await start(t, false);
      const first = await begin();
      const live = first.read(await first.write(applying.request, applied));
      const before = await stored();
      const subject = by === "another one" ? await begin() : first;
      const again = () => subject.write(request, body(live));
      await again();
      assert.deepEqual(await stored(), before, "what is not stale is not written");
      rotate();
      const reply = subject.read(await again());
      const after = await stored();
      assert.equal(bytes(after), bytes(before).replace("old:", "new:"));
      assert.ok(after.revision > before.revision);
      assert.equal(reply.metadata.resourceVersion, String(after.revision));
      await again();
      assert.deepEqual(await stored(), after, "it is stale no more");
    });
  }
}

test("a dry run leaves a stale state as it is", async (t) => {
  const { begin, stored, rotate } = await start(t, false);
  const subject = await begin();
  await subject.write({}, object);
  const before = await stored();
  rotate();
  await subject.write({ verb: "update", name: "a", options: { dryRun: "All" } }, object);
  assert.deepEqual(await stored(), before);
});

test("a large state that is stale is written anew by the thread, too", async (t) => {
  const { begin, stored, rotate } = await start(t, true);
  const subject = await begin();
  const large = { ...object, data: { greeting: "x".repeat(200 << 10) } };
  await subject.write({}, large);
  const before = await stored();
  rotate();
  await subject.write({ verb: "update", name: "a" }, large);
  assert.equal(bytes(await stored()), bytes(before).replace("old:", "new:"));
});
