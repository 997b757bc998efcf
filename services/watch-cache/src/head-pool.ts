/** The text before an object's metadata, which says what it is: one text for all that are alike. */
export type HeadPool = (bytes: Buffer, itemAt: number) => string;

/** Texts remembered: versions of definitions are far fewer. */
const remembered = 10_000;

/**
 * Custom resources are stored in several versions, and each list looks at every object's: a text that objects share is
 * compared without their bytes.
 */
export function createHeadPool(): HeadPool {
  const known = new Map<string, string>();
  return (bytes, itemAt) => {
    const head = bytes.toString("latin1", 0, itemAt);
    const shared = known.get(head);
    if (shared !== undefined) return shared;
    if (known.size >= remembered) known.clear();
    known.set(head, head);
    return head;
  };
}
