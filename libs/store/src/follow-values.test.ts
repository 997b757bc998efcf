import assert from "node:assert/strict";
import { test } from "node:test";
import type { FollowedEvent } from "./follow.js";
import { followValues } from "./follow-values.js";
import { key, revision } from "./revision.js";
import type { Entry } from "./store.js";

const entry = (name: string, text: string): Entry => {
  const at = revision(7);
  return { key: key(name), value: Buffer.from(text), revision: at, created: at };
};
const put = (name: string, text: string): FollowedEvent => ({
  type: "put",
  entry: entry(name, text),
  previous: undefined,
});
const remove = (name: string, previous: Entry | undefined): FollowedEvent => ({
  type: "delete",
  key: key(name),
  revision: revision(8),
  previous,
});

/** Values that are numbers; a value that is none cannot be decoded. */
function numbers(onTold: (line: string) => void = () => {}) {
  const told: string[] = [];
  const note = (line: string): void => {
    told.push(line);
    onTold(line);
  };
  const decode = ({ key: at, value }: Entry): string => {
    const number = Number(value.toString());
    if (Number.isNaN(number)) throw new SyntaxError("no number");
    return `${at}=${number}`;
  };
  const follower = followValues(decode, {
    replaced: (values, damaged) => note(["all:", ...values, ...damaged.map(({ key: at }) => `!${at}`)].join(" ")),
    changed: (value) => note(`+${value}`),
    deleted: (at, last) => note(`-${at} (${last})`),
    damaged: ({ key: at, why }) => note(`!${at} ${why}`),
  });
  return { follower, told };
}
const over = new AbortController();

test("a load is told whole, with what cannot be read and what cannot be decoded beside it", () => {
  const { follower, told } = numbers();
  const load = follower.load(over.signal);
  const damaged = [{ key: key("c"), revision: revision(3), why: "flipped" }];
  load.add({ entries: [entry("a", "1"), entry("b", "x")], damaged, revision: revision(7), count: 3 });
  load.add({ entries: [entry("d", "2")], revision: revision(7), count: 1 });
  assert.deepEqual(told, []);
  load.done(revision(7));
  assert.deepEqual(told, ["all: a=1 d=2 !b !c"]);
});

test("changes are told decoded; what cannot be is told as damaged, or as a deletion without its last value", () => {
  const { follower, told } = numbers();
  const damage: FollowedEvent = { type: "damaged", key: key("c"), revision: revision(9), why: "flipped" };
  const events = [
    ...[put("a", "1"), put("b", "x"), damage],
    ...[remove("a", entry("a", "1")), remove("b", entry("b", "x")), remove("c", undefined)],
  ];
  follower.changed(events, over.signal);
  const noObject = "!b it is no object of its kind";
  assert.deepEqual(told, ["+a=1", noObject, "!c flipped", "-a (a=1)", "-b (undefined)", "-c (undefined)"]);
});

test("nothing is told after a stop, also of events that came together", () => {
  const stop = new AbortController();
  const { follower, told } = numbers(() => stop.abort());
  follower.changed([put("a", "1"), put("b", "2")], stop.signal);
  assert.deepEqual(told, ["+a=1"]);
});
