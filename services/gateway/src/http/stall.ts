/** What was seen of a response that has ended but is not all sent. */
export interface Stall {
  /** How many looks in a row found as many bytes left as the look before. */
  looks: number;
  left: number;
}

/** How many looks an ended response may make no progress before its connection is given up. */
const patience = 6;

export function freshStall(): Stall {
  return { looks: 0, left: 0 };
}

/** Looks once more: true if the client has read nothing for too long. */
export function isStalled(stall: Stall, left: number): boolean {
  stall.looks = left === stall.left ? stall.looks + 1 : 0;
  stall.left = left;
  return stall.looks >= patience;
}
