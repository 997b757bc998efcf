/** What is under way on a connection, by the number of its frames. */
export interface UnderWay<T> {
  readonly size: number;
  get(id: number): T | undefined;
  set(id: number, value: T): void;
  /** Removes it and gives what was there. */
  take(id: number): T | undefined;
  /** What is there now: the caller may take as it goes. */
  entries(): readonly (readonly [id: number, value: T])[];
}

/**
 * A Map that does not keep what has gone. The tables that a Map leaves behind lead to what stood in them, until the next
 * full collection (see Crowd): what stands in these is a box, which is emptied.
 */
export function createUnderWay<T>(): UnderWay<T> {
  const boxes = new Map<number, { value: T | undefined }>();
  return {
    get size() {
      return boxes.size;
    },
    get: (id) => boxes.get(id)?.value,
    set: (id, value) => void boxes.set(id, { value }),
    take(id) {
      const box = boxes.get(id);
      if (box === undefined) return undefined;
      boxes.delete(id);
      const { value } = box;
      box.value = undefined;
      return value;
    },
    entries: () => [...boxes].flatMap(([id, { value }]) => (value === undefined ? [] : [[id, value] as const])),
  };
}
