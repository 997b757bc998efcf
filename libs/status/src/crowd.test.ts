import assert from "node:assert/strict";
import { test } from "node:test";
import { Crowd, type Member, outside } from "./crowd.js";

const member = (): Member => ({ place: outside });

test("a crowd has what was added and not what was removed, as a Set has", () => {
  const crowd = new Crowd<Member>();
  const model = new Set<Member>();
  const all = Array.from({ length: 20 }, member);
  // Each one comes and goes in a rhythm of its own.
  for (let step = 0; step < 1_000; step++) {
    const one = all[(step * 7) % all.length];
    if (one === undefined || step % 3 === 0) continue;
    if (model.delete(one)) crowd.delete(one);
    else {
      model.add(one);
      crowd.add(one);
    }
    assert.equal(crowd.size, model.size);
    assert.deepEqual(new Set(crowd.members()), model);
  }
  assert.ok(all.every((one) => model.has(one) === (one.place !== outside)));
});

test("one that is not there, or in another crowd, is not removed", () => {
  const [here, there] = [new Crowd<Member>(), new Crowd<Member>()];
  const [mine, other] = [member(), member()];
  here.add(mine);
  there.add(other);
  here.delete(other);
  here.delete(member());
  assert.deepEqual([here.members(), there.members()], [[mine], [other]]);
  here.delete(mine);
  here.delete(mine);
  assert.deepEqual([here.size, there.size], [0, 1]);
});

test("members may go while they are looked at", () => {
  const crowd = new Crowd<Member>();
  for (let i = 0; i < 5; i++) crowd.add(member());
  for (const one of crowd.members()) crowd.delete(one);
  assert.equal(crowd.size, 0);
});
