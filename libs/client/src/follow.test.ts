import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import { createMirror, type View } from "./mirror.js";
import type { ApiObject, ObjectList } from "./objects.js";

type Answer = Pick<ObjectList, "continue" | "items"> | Error;

const object = (name: string): ApiObject => ({ metadata: { name, uid: name, resourceVersion: "1" } });

function page(names: string, token = ""): Answer {
  return { continue: token, items: names.split(" ").map(object) };
}

/** A view of a mirror whose pages come when the test gives them. */
function setup(t: TestContext) {
  const asked: { readonly token: string; readonly answer: (answer: Answer) => void }[] = [];
  let wake = (): void => {};
  const mirror = createMirror({
    naming: createNaming("orch"),
    random: () => 0,
    clock: {
      monotonic: () => 0,
      after(_, run) {
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    },
    client: {
      list: (_, { continue: token = "", signal } = {}) =>
        new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          asked.push({
            token,
            answer: (is) => (is instanceof Error ? reject(is) : resolve({ ...is, resourceVersion: "9" })),
          });
          wake();
        }),
      stream: ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
        ),
    },
  });
  /** Answers the next request once it is there; its token. */
  const next = async (answer: Answer): Promise<string> => {
    while (asked.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const request = asked.shift();
    request?.answer(answer);
    return request?.token ?? "";
  };
  const look = () => {
    const told: string[] = [];
    const kept: string[] = [];
    const errors: unknown[] = [];
    const view: View<ApiObject> = mirror.view({
      collection: { group: "", version: "v1", resource: "configmaps" },
      sees: "objects",
      keep(o) {
        kept.push(o.metadata.name ?? "");
        return o;
      },
      handlers: {
        added: (o) => told.push(`+${o.metadata.name}`),
        deleted: (o) => told.push(`-${o.metadata.name}`),
      },
      onError: (error) => errors.push(error),
    });
    const run = (): (() => Promise<void>) => {
      const abort = new AbortController();
      const ended = view.run(abort.signal);
      const leave = (): Promise<void> => {
        abort.abort();
        return ended;
      };
      t.after(leave);
      return leave;
    };
    return { view, told, kept, errors, run };
  };
  /** Until the next page is asked for, what came before it has been handed on. */
  const waiting = async (): Promise<void> => {
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { next, look, waiting };
}

test("pages are kept before the next one is there, and readers see the whole at once", async (t) => {
  const { next, look, waiting } = setup(t);
  const { view, told, kept, run } = look();
  run();
  await next(page("a b", "2"));
  await waiting();
  assert.deepEqual([kept, told, view.store.size], [["a", "b"], [], 0]);
  assert.equal(await next(page("c")), "2");
  await view.synced;
  assert.deepEqual(
    [told, [...view.store.keys()]],
    [
      ["+a", "+b", "+c"],
      ["a", "b", "c"],
    ],
  );
});

test("a list whose token expires in the middle begins anew", async (t) => {
  const { next, look } = setup(t);
  const { view, told, errors, run } = look();
  run();
  await next(page("a b", "2"));
  await next(new ApiError("Expired", "too old"));
  assert.equal(await next(page("b c")), "");
  await view.synced;
  assert.deepEqual([told, [...view.store.keys()], errors], [["+b", "+c"], ["b", "c"], []]);
});

test("an error in the middle leaves the old state, and what left is told after the next whole list", async (t) => {
  const { next, look, waiting } = setup(t);
  const { view, told, errors, run } = look();
  const leave = run();
  await next(page("a b"));
  await view.synced;
  await leave();
  told.splice(0);
  run();
  await next(page("c", "2"));
  await next(new ApiError("InternalError", "broken"));
  await waiting();
  assert.deepEqual([told, [...view.store.keys()], errors.length], [[], ["a", "b"], 1]);
  assert.equal(await next(page("b", "3")), "");
  await waiting();
  assert.deepEqual(told, []);
  await next(page("d"));
  while (told.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    [told, [...view.store.keys()]],
    [
      ["-a", "+d"],
      ["b", "d"],
    ],
  );
});

test("a view that comes between two pages misses none", async (t) => {
  const { next, look, waiting } = setup(t);
  const [one, two] = [look(), look()];
  one.run();
  await next(page("a", "2"));
  await waiting();
  two.run();
  // The page that nobody waits for any more.
  await next(page("b"));
  assert.equal(await next(page("a", "2")), "");
  assert.equal(await next(page("b")), "2");
  await Promise.all([one.view.synced, two.view.synced]);
  for (const { told } of [one, two]) assert.deepEqual(told, ["+a", "+b"]);
});
