/** What was seen of an answer that has ended and is not all sent. */
export interface Stall {
  /** Looks in a row that found as many bytes left as the look before. */
  looks: number;
  left: number;
}

/** Looks at an ended response that its client does not take, before it is given up. */
const patience = 6;

export function freshStall(): Stall {
  return { looks: 0, left: 0 };
}

/** Looks once more: true where the client has taken nothing for too long. */
export function isStalled(stall: Stall, left: number): boolean {
  stall.looks = left === stall.left ? stall.looks + 1 : 0;
  stall.left = left;
  return stall.looks >= patience;
}
