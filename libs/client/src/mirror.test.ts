import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import { identityOnly } from "./metadata-only.js";
import { createMirror, type Mirror, type View, type ViewOptions, wholeObject } from "./mirror.js";
import type { ApiObject } from "./objects.js";
import { wiredClient } from "./testing/wired-client.js";

const collection = { group: "", version: "v1", resource: "configmaps", namespace: "obs" };

interface Looking {
  readonly view: View<ApiObject>;
  readonly told: string[];
  readonly errors: string[];
  leave(): Promise<void>;
  /** What it was told since it was last asked, once there is so much. */
  seen(count: number): Promise<readonly string[]>;
}

async function setup(t: TestContext, more: { readonly followsWhole?: boolean } = {}) {
  const { server, client } = await wiredClient(t);
  const mirror = createMirror({
    client,
    naming: createNaming("orch"),
    // Delays are real but short: nothing here asserts how long they are.
    clock: {
      monotonic: () => performance.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms / 50);
        return () => clearTimeout(timer);
      },
    },
    random: () => 0.5,
    ...more,
  });
  const look = (more: Partial<ViewOptions<ApiObject>> = {}): Looking => looking(t, mirror, more);
  const count = (what: RegExp): number => server.requests.filter((r) => what.test(r)).length;
  return { server, look, lists: () => count(/configmaps\?limit/), watches: () => count(/watch=true/) };
}

function looking(t: TestContext, mirror: Mirror, more: Partial<ViewOptions<ApiObject>>): Looking {
  const told: string[] = [];
  const errors: string[] = [];
  let wake = (): void => {};
  const tell = (text: string): void => {
    told.push(text);
    wake();
  };
  const view = mirror.view({
    ...{ collection, sees: "objects", keep: wholeObject },
    handlers: {
      added: (o) => tell(`+${o.metadata.name}`),
      modified: (o) => tell(`~${o.metadata.name}`),
      deleted: (o) => tell(`-${o.metadata.name}`),
    },
    onError: (error) => errors.push(messageOf(error)),
    ...more,
  });
  const abort = new AbortController();
  const running = view.run(abort.signal);
  const leave = (): Promise<void> => {
    abort.abort();
    return running;
  };
  t.after(leave);
  const seen = async (count: number): Promise<readonly string[]> => {
    while (told.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return told.splice(0);
  };
  return { view, told, errors, leave, seen };
}

test("views of one collection share a list, a watch and the objects", async (t) => {
  const { server, look, lists, watches } = await setup(t);
  server.put("a", "1");
  const [one, two] = [look(), look()];
  await Promise.all([one.view.synced, two.view.synced]);
  await server.watched();
  server.put("b", "1");
  for (const { seen } of [one, two]) assert.deepEqual(await seen(2), ["+a", "+b"]);
  assert.deepEqual([lists(), watches()], [1, 1]);
  assert.equal(one.view.store.get("obs/b"), two.view.store.get("obs/b"));
});

test("a view that comes later has what is there, and tells the others nothing twice", async (t) => {
  const { server, look, lists } = await setup(t);
  server.put("a", "1");
  const first = look();
  await first.seen(1);
  await server.watched();
  const late = look();
  await late.view.synced;
  assert.deepEqual(await late.seen(1), ["+a"]);
  await server.watched();
  server.put("b", "1");
  assert.deepEqual(await late.seen(1), ["+b"]);
  assert.deepEqual(await first.seen(1), ["+b"]);
  assert.equal(lists(), 2);
});

test("metadata is asked for until somebody wants the objects", async (t) => {
  const { server, look } = await setup(t);
  server.put("a", "1");
  const poor = look({ sees: "metadata", keep: identityOnly });
  await poor.view.synced;
  await server.watched();
  assert.match(String(server.lastHeaders()["accept"]), /as=PartialObjectMetadata;g=meta\.orch;v=v1$/);
  const rich = look();
  await rich.view.synced;
  await server.watched();
  assert.equal(server.lastHeaders()["accept"], "application/json");
  server.put("b", "1");
  assert.deepEqual(
    [await poor.seen(2), await rich.seen(2)],
    [
      ["+a", "+b"],
      ["+a", "+b"],
    ],
  );
  assert.equal(poor.view.store.get("obs/b")?.["data"], undefined);
  assert.deepEqual(rich.view.store.get("obs/b")?.["data"], { value: "1" });
});

test("events of metadata leave managedFields out, those of objects do not", async (t) => {
  const { server, look } = await setup(t);
  const managedFields = [{ manager: "a", operation: "Update", fieldsV1: { "f:data": {} } }];
  const event = (name: string): string => {
    const metadata = { name, namespace: "obs", resourceVersion: "1000", managedFields };
    return `${JSON.stringify({ type: "ADDED", object: { metadata } })}\n`;
  };
  const shown = ({ view }: Looking, name: string) => Object.keys(view.store.get(`obs/${name}`)?.metadata ?? {});
  const poor = look({ sees: "metadata" });
  await poor.view.synced;
  await server.watched();
  server.write(event("a"));
  assert.deepEqual(await poor.seen(1), ["+a"]);
  assert.deepEqual(shown(poor, "a"), ["name", "namespace", "resourceVersion"]);
  const rich = look();
  await rich.view.synced;
  await server.watched();
  server.write(event("b"));
  await rich.seen(1);
  assert.deepEqual(shown(rich, "b"), ["name", "namespace", "resourceVersion", "managedFields"]);
});

test("the last view that leaves ends the watch, and one that comes back hears what has changed", async (t) => {
  const { server, look, lists } = await setup(t);
  for (const name of ["a", "b"]) server.put(name, "1");
  const [one, two] = [look(), look()];
  await Promise.all([one.seen(2), two.seen(2)]);
  await server.watched();
  await one.leave();
  server.put("c", "1");
  assert.deepEqual(await two.seen(1), ["+c"]);
  assert.deepEqual(one.told, []);
  await two.leave();
  server.remove("a");
  server.put("b", "2");
  const again = new AbortController();
  const running = two.view.run(again.signal);
  t.after(async () => {
    again.abort();
    await running;
  });
  assert.deepEqual(await two.seen(2), ["-a", "~b"]);
  assert.equal(lists(), 2);
});

test("selectors make another collection", async (t) => {
  const { server, look, lists } = await setup(t);
  await Promise.all([look().view.synced, look({ labelSelector: "a=b" }).view.synced]);
  assert.equal(server.requests.filter((r) => r.includes("labelSelector=a%3Db")).length > 0, true);
  assert.equal(lists() + server.requests.filter((r) => /GET .*labelSelector=a%3Db&limit/.test(r)).length, 2);
});

test("a mirror that many share gives a view its part of the whole collection", async (t) => {
  const { server, look, lists, watches } = await setup(t, { followsWhole: true });
  for (const name of ["a", "b"]) server.put(name, "1");
  const isOne = (object: ApiObject): boolean => JSON.stringify(object["data"]) === '{"value":"1"}';
  const whole = look();
  const part = look({ fieldSelector: "data.value=1", passes: isOne });
  assert.deepEqual([await whole.seen(2), await part.seen(2)].flat().sort(), ["+a", "+a", "+b", "+b"]);
  await server.watched();
  server.put("b", "2");
  server.put("c", "2");
  server.put("b", "1");
  assert.deepEqual(await whole.seen(3), ["~b", "+c", "~b"]);
  assert.deepEqual(await part.seen(2), ["-b", "+b"]);
  assert.deepEqual([lists(), watches()], [1, 1]);
});

test("a watch that is cut goes on from where it was, for every view", async (t) => {
  const { server, look, lists } = await setup(t);
  const [one, two] = [look(), look()];
  await Promise.all([one.view.synced, two.view.synced]);
  await server.watched();
  server.endWatches("cut");
  server.put("a", "1");
  assert.deepEqual([await one.seen(1), await two.seen(1)], [["+a"], ["+a"]]);
  assert.equal(lists(), 1);
  for (const { errors } of [one, two]) assert.equal(errors.length, 1);
});

test("after 410 a new list says what has come, changed and gone", async (t) => {
  const { server, look, lists } = await setup(t);
  for (const name of ["a", "b"]) server.put(name, "1");
  const [one, two] = [look(), look()];
  await Promise.all([one.seen(2), two.seen(2)]);
  await server.watched();
  // Nobody is told: the watches are over before they could be.
  server.endWatches("ended");
  server.remove("a");
  server.put("b", "2");
  server.put("c", "1");
  server.compact();
  assert.deepEqual(
    [await one.seen(3), await two.seen(3)],
    [
      ["-a", "~b", "+c"],
      ["-a", "~b", "+c"],
    ],
  );
  assert.equal(lists(), 2);
});

test("a handler that throws harms neither its own view nor another", async (t) => {
  const { server, look } = await setup(t);
  const bad = look({
    handlers: {
      added() {
        throw new Error("a handler");
      },
    },
  });
  const good = look();
  await Promise.all([bad.view.synced, good.view.synced]);
  await server.watched();
  for (const name of ["a", "b"]) server.put(name, "1");
  assert.deepEqual(await good.seen(2), ["+a", "+b"]);
  assert.deepEqual([...bad.view.store.keys()], ["obs/a", "obs/b"]);
  assert.deepEqual(bad.errors, ["a handler", "a handler"]);
  assert.deepEqual(good.errors, []);
});
