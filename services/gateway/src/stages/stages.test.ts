import assert from "node:assert/strict";
import { test } from "node:test";
import type { Admitted, Authenticated, Identified, Received } from "../call.js";
import { noSeats } from "../flow/seats.js";
import { fakeExchange } from "../testing/fake-exchange.js";
import { received } from "./receive.js";
import { type Journey, type Stage, stages } from "./stages.js";

const ann = { name: "ann", uid: "", groups: [], extra: {} };
const begin = (): Journey => ({ reached: received(fakeExchange({ target: "/api/v1/pods" })) });
const authenticate: Stage<Received, Authenticated> = (call) => ({ ...call, sender: ann });
const impersonate: Stage<Authenticated, Identified> = (call) => ({ ...call, user: call.sender });
const admit: Stage<Identified, Admitted> = (call) => ({ ...call, seats: noSeats });

test("a stage takes what the one before gives, at once where nothing is waited for", () => {
  let answered: Admitted | undefined;
  const answer = stages()
    .to(authenticate)
    .to(impersonate)
    .to(admit)
    .end((call) => {
      answered = call;
    });
  assert.equal(answer(begin()), undefined);
  assert.equal(answered?.user, ann);
});

test("what a stage waits for, those behind it wait for", async () => {
  const order: string[] = [];
  const later: Stage<Authenticated, Identified> = async (call) => {
    await Promise.resolve();
    order.push("later");
    return { ...call, user: ann };
  };
  const answer = stages()
    .to(authenticate)
    .to(later)
    .to(admit)
    .end(async (call) => void order.push(call.user.name));
  const answered = answer(begin());
  assert.deepEqual(order, []);
  await answered;
  assert.deepEqual(order, ["later", "ann"]);
});

test("of a request that fails it is known how far it came", async () => {
  const refuse = (): never => {
    throw new Error("no");
  };
  const refuseLater = async (): Promise<never> => refuse();
  for (const fail of [refuse, refuseLater]) {
    const journey = begin();
    const answer = stages()
      .to(authenticate)
      .to(impersonate)
      .to(fail)
      .end(() => assert.fail("it was refused"));
    await assert.rejects(async () => answer(journey), /no/);
    assert.deepEqual([journey.reached.user, journey.reached.seats], [ann, undefined]);
  }
});

test("another order of stages does not compile", () => {
  const first = stages();
  // @ts-expect-error nobody is known yet who could be taken for another
  first.to(impersonate);
  const second = first.to(authenticate);
  // @ts-expect-error seats are given to a user, not to a sender
  second.to(admit);
  const forgetful = ({ request, response, route, verb, trace }: Authenticated): Received => ({
    ...{ request, response },
    ...{ route, verb, trace },
  });
  // @ts-expect-error a stage gives back all that it was given
  second.to(forgetful);
});
