import { hash } from "node:crypto";

const bytesPerCard = 4;

/**
 * A flow's hand of queues: `handSize` different numbers below `queues`, the same whenever the flow is. Two flows
 * share all of 6 out of 128 queues once in 5 billion, so that a flow that fills its hand leaves others a free queue.
 */
export function dealHand(flow: string, { queues, handSize }: { queues: number; handSize: number }): readonly number[] {
  const hand: number[] = [];
  let entropy = Buffer.alloc(0);
  for (let card = 0, at = 0; card < Math.min(handSize, queues); card++, at += bytesPerCard) {
    if (at === entropy.length) {
      entropy = hash("sha256", `${card}/${flow}`, "buffer");
      at = 0;
    }
    // The number among those that were not dealt yet.
    let queue = entropy.readUInt32BE(at) % (queues - card);
    for (const dealt of [...hand].sort((a, b) => a - b)) if (queue >= dealt) queue++;
    hand.push(queue);
  }
  return hand;
}
