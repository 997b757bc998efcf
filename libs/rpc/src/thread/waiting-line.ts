/** A waiting line for each owner, served in turns: an owner with a hundred jobs does not hold up one with a single job. */
export interface WaitingLine<T> {
  add(owner: string, item: T): void;
  /** True if it was in the line. */
  remove(owner: string, item: T): boolean;
  next(): T | undefined;
  drain(): readonly T[];
}

export function createWaitingLine<T>(): WaitingLine<T> {
  // A map keeps the order of insertion: the line that was served moves to the end.
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
