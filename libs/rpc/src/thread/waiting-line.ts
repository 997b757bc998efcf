/** Who waits, in lines by owner that take turns: whoever sends a hundred is behind whoever sends one. */
export interface WaitingLine<T> {
  add(owner: string, item: T): void;
  /** Whether it was there. */
  remove(owner: string, item: T): boolean;
  next(): T | undefined;
  drain(): readonly T[];
}

export function createWaitingLine<T>(): WaitingLine<T> {
  // A map keeps the order of insertion: the line that was served goes to its end.
  const lines = new Map<string, T[]>();
  return {
    add(owner, item) {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, [item]);
      else line.push(item);
    },
    remove(owner, item) {
      const line = lines.get(owner) ?? [];
      const at = line.indexOf(item);
      if (at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(owner);
      return true;
    },
    next() {
      const [first] = lines;
      if (first === undefined) return undefined;
      const [owner, line] = first;
      const item = line.shift();
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line);
      return item;
    },
    drain() {
      const all = [...lines.values()].flat();
      lines.clear();
      return all;
    },
  };
}
