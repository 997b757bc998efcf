/** Runs once for all who ask for the same while it runs. Results of before are not kept. */
export type InFlight<T> = (key: string, run: () => T | Promise<T>) => T | Promise<T>;

export function createInFlight<T>(): InFlight<T> {
  const running = new Map<string, Promise<T>>();
  return (key, run) => {
    const before = running.get(key);
    if (before !== undefined) return before;
    const result = run();
    if (!(result instanceof Promise)) return result;
    const shared = result.finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}
