const lookMs = 200;

/**
 * Calls once, when the process that started this one is gone: the system then gives it another parent. Nothing tells of
 * that, so it is looked at.
 */
export function whenParentEnds(parentNow: () => number, ended: () => void): () => void {
  const parent = parentNow();
  const timer = setInterval(() => {
    if (parentNow() === parent) return;
    clearInterval(timer);
    ended();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
