import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Attributes, Authorizer, Decision, ResourceAttributes } from "@orch/auth/authorizer.js";
import { allowed, noOpinion } from "@orch/auth/authorizer.js";
import type { RightsListener } from "@orch/auth/scoped-rights.js";
import type { Chunk, Permitted } from "@orch/rpc/messages.js";
import type { Receiver } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import { createAskEach } from "./ask-each.js";
import { followingRights, type GoingOn } from "./follow-rights.js";
import { withNewRights } from "./new-rights.js";
import { createPermittedNamespaces, mostQuestions } from "./permitted-namespaces.js";

const user = { name: "bob", uid: "", groups: ["dev"], extra: {} };
const attributes: ResourceAttributes = {
  ...{ kind: "resource", user, verb: "list", group: "", version: "v1", resource: "pods" },
  ...{ subresource: "", namespace: "", name: "" },
};

/** Rights that a test sets. */
function rightsOf(first: readonly string[], { told = true, later = false } = {}) {
  let seen = new Set(first);
  let version = 0;
  let asked = 0;
  let failing = false;
  const listeners = new Set<RightsListener>();
  const decide = ({ namespace }: ResourceAttributes): Decision => {
    asked++;
    if (failing) return { ...noOpinion, failed: true };
    return seen.has(namespace) ? allowed : noOpinion;
  };
  const authorizer: Authorizer = {
    authorize: (question) => {
      assert.equal(question.kind, "resource");
      const decision = question.kind === "resource" ? decide(question) : noOpinion;
      return later ? Promise.resolve(decision) : decision;
    },
  };
  const rights = {
    namespacesOf: () => (told ? new Set([...seen, "other"]) : undefined),
    onChange(listener: RightsListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    changedSince: () => false,
    revisions: () => [1, 2, 3, 4],
    get version() {
      return version;
    },
  };
  const all = (): ReadonlySet<string> => new Set([...seen, "other"]);
  const namespaces = createPermittedNamespaces({
    ...{ authorizer, rights, now: () => 0 },
    namespaces: { all: async () => all(), stop: () => {} },
  });
  return {
    namespaces,
    asked: () => asked,
    listeners,
    fail() {
      failing = true;
    },
    /** Nobody is told. */
    silently(...now: readonly string[]) {
      seen = new Set(now);
    },
    set(...now: readonly string[]) {
      version++;
      for (const tell of listeners) tell({ of: "groups", name: "dev" });
      seen = new Set(now);
    },
  };
}

test("the namespaces in which a request is allowed, by bindings or by asking, at once or later", async () => {
  for (const told of [true, false]) {
    for (const later of [true, false]) {
      const many = Array.from({ length: 2500 }, (_, i) => `n${i}`);
      for (const names of [[], ["b", "a"], many]) {
        const { namespaces } = rightsOf(names, { told, later });
        assert.deepEqual((await namespaces.of(attributes)).namespaces, names.toSorted());
      }
    }
  }
});

test("an answer is kept until a right changes, and too many namespaces are refused", async () => {
  const rights = rightsOf(["a"]);
  const first = await rights.namespaces.of(attributes);
  const { asked } = rights;
  const before = asked();
  assert.deepEqual(await rights.namespaces.of(attributes), first);
  assert.equal(asked(), before);
  await rights.namespaces.of({ ...attributes, verb: "watch" });
  assert.ok(asked() > before);
  rights.set("a", "b");
  assert.deepEqual((await rights.namespaces.of(attributes)).namespaces, ["a", "b"]);
  const crowd = rightsOf(Array.from({ length: mostQuestions }, (_, i) => `n${i}`));
  assert.throws(() => crowd.namespaces.of(attributes), /10000 at most are asked about/);
});

test("where it cannot be told of one namespace what may be seen, nothing is answered of the others", async () => {
  const failed: Decision = { outcome: "noOpinion", reason: "the webhook gave no answer", failed: true };
  const decide = (question: Attributes): Decision =>
    question.kind === "resource" && question.namespace === "b" ? failed : allowed;
  for (const authorizer of [{ authorize: decide }, { authorize: async (about: Attributes) => decide(about) }]) {
    const askEach = createAskEach({ authorizer, now: () => 0 });
    const asked = async () => await askEach(attributes, ["a", "b", "c"]);
    await assert.rejects(asked, { reason: "ServiceUnavailable", message: /the webhook gave no answer/ });
    assert.deepEqual(await askEach(attributes, ["a", "c"]), ["a", "c"]);
  }
});

test("what takes its time is asked 50 times at once, of all requests together, and for ten seconds", async () => {
  let [now, running, most, asked] = [0, 0, 0, 0];
  const authorize = async (): Promise<Decision> => {
    asked++;
    most = Math.max(most, ++running);
    now += 10;
    await new Promise(setImmediate);
    running--;
    return allowed;
  };
  const askEach = createAskEach({ authorizer: { authorize }, now: () => now });
  const names = Array.from({ length: 300 }, (_, i) => `n${i}`);
  const requests = [names, names.slice(0, 120), ["n1", "n2"]];
  const answers = await Promise.all(requests.map((some) => askEach(attributes, some)));
  assert.deepEqual(
    answers,
    requests.map((some) => some.toSorted()),
  );
  // The first question of each is asked to see whether it takes time.
  assert.ok(most <= 50 + requests.length, `${most} at once`);
  const before = asked;
  const tooMany = Array.from({ length: 5000 }, (_, i) => `n${i}`);
  await assert.rejects(async () => await askEach(attributes, tooMany), {
    reason: "ServiceUnavailable",
    message: /not worked out in 10 seconds/,
  });
  assert.ok(asked - before <= 1100, `${asked - before} were asked`);
});

test("who asks the same while it is worked out gets the same, until a right changes", async () => {
  const rights = rightsOf(["a"], { told: false, later: true });
  const { namespaces, asked } = rights;
  const both = await Promise.all([namespaces.of(attributes), namespaces.of(attributes)]);
  assert.equal(both[0], both[1]);
  assert.equal(asked(), 2, "of a, and of the other");
  const long = { ...attributes, labelSelector: "a".repeat(100_000) };
  const before = namespaces.of(long);
  rights.set("a", "b");
  assert.deepEqual((await namespaces.of(long)).namespaces, ["a", "b"]);
  await before;
});

interface Opened {
  readonly permitted: Permitted;
  readonly goingOn: GoingOn | undefined;
  readonly receiver: Receiver<Chunk>;
  cancelled: boolean;
}

async function watched({ first, told = true }: { readonly first: readonly string[]; readonly told?: boolean }) {
  const rights = rightsOf(first, { told });
  const opened: Opened[] = [];
  const got: string[] = [];
  const open = followingRights({
    first: { ...(await rights.namespaces.of(attributes)), attributes },
    namespaces: rights.namespaces,
    errorFrame: ({ reason }) => Buffer.from(reason),
    open: (permitted, goingOn) => (receiver) => {
      const stream = { permitted, goingOn, receiver, cancelled: false };
      opened.push(stream);
      const cancel = (): void => {
        stream.cancelled = true;
      };
      return { cancel, pause: () => {}, resume: () => {} };
    },
  });
  const subscription = open({
    message: ({ body }) => void got.push(body.toString()),
    end: (error) => void got.push(error?.reason ?? "end"),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const send = (text: string, revision?: number): void => {
    const stream = opened.at(-1);
    if (stream?.cancelled === false) {
      stream.receiver.message({ body: Buffer.from(text), ...(revision === undefined ? {} : { revision }) });
    }
  };
  return { rights, opened, got, send, settled, subscription };
}

test("a watch that gains namespaces goes on behind what it has passed on, and passes what came meanwhile", async () => {
  const { rights, opened, got, send, settled, subscription } = await watched({ first: ["a"] });
  send("first", 7);
  rights.set("a", "b");
  send("meanwhile", 8);
  assert.deepEqual(got, ["first"], "nothing passes before it is known what may be seen");
  await settled();
  assert.deepEqual(got, ["first", "meanwhile"]);
  assert.deepEqual(
    opened.map(({ cancelled }) => cancelled),
    [true, false],
  );
  assert.deepEqual(opened[1]?.permitted, { namespaces: ["a", "b"], gained: ["b"] });
  assert.equal(opened[1]?.goingOn?.after, 8);
  opened[0]?.receiver.message({ body: Buffer.from("late") });
  send("second", 9);
  assert.deepEqual(got, ["first", "meanwhile", "second"]);
  subscription.cancel();
  assert.equal(rights.listeners.size, 0);
});

test("a watch that loses a namespace passes nothing more and ends with 410", async () => {
  const { rights, opened, got, send, settled } = await watched({ first: ["a", "b"] });
  send("first", 7);
  rights.set("a");
  send("of b", 8);
  await settled();
  assert.deepEqual(got, ["first", "Expired", "end"]);
  assert.equal(opened[0]?.cancelled, true);
  assert.equal(rights.listeners.size, 0);
});

test("where nobody tells of changes a watch asks again, holds up nothing meanwhile, and ends where it gets no answer", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const { rights, opened, got, send, settled } = await watched({ first: ["a"], told: false });
    send("first", 7);
    rights.silently("a", "b");
    mock.timers.tick(30_000);
    send("meanwhile", 8);
    assert.deepEqual(got, ["first", "meanwhile"]);
    await settled();
    assert.deepEqual(opened[1]?.permitted, { namespaces: ["a", "b"], gained: ["b"] });
    assert.equal(opened[1]?.goingOn?.after, 8);
    send("second", 9);
    rights.fail();
    mock.timers.tick(30_000);
    await settled();
    assert.deepEqual(got, ["first", "meanwhile", "second", "Expired", "end"]);
    assert.equal(rights.listeners.size, 0);
  } finally {
    mock.timers.reset();
  }
});

test("a watch goes on where a change left its rights as they were, and ends where its state was not sent yet", async () => {
  const same = await watched({ first: ["a"] });
  same.rights.set("a");
  same.send("meanwhile");
  await same.settled();
  assert.deepEqual([same.got, same.opened.length], [["meanwhile"], 1]);
  same.rights.set("a", "b");
  await same.settled();
  assert.deepEqual(same.got, ["meanwhile", "Expired", "end"]);
  const all = await watched({ first: ["a"] });
  all.send("first", 7);
  all.rights.set("a", "");
  await all.settled();
  assert.deepEqual(all.got, ["first", "Expired", "end"], "the whole may be seen now");
});

test("a list that shows more than its rights know of is asked for again with newer ones", async () => {
  const rights = rightsOf(["a"]);
  const first = { ...(await rights.namespaces.of(attributes)), attributes };
  const asked: string[] = [];
  const open = withNewRights({
    ...{ first, namespaces: rights.namespaces },
    open:
      ({ namespaces }) =>
      (receiver) => {
        asked.push(namespaces.join());
        setImmediate(() => {
          if (asked.length === 1) rights.set("a", "b");
          receiver.end(asked.length < 3 ? new ApiError("Conflict", "older") : undefined);
        });
        return { cancel: () => {}, pause: () => {}, resume: () => {} };
      },
  });
  const error = await new Promise((resolve) => open({ message: () => {}, end: resolve }));
  assert.equal(error, undefined);
  assert.deepEqual(asked, ["a", "a,b", "a,b"]);
});
