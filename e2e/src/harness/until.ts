import { setTimeout as delay } from "node:timers/promises";

/** Far over what anything takes, on a machine with much else to do too. */
const usualPatienceMs = 60_000;
const pauseMs = 20;

/** Asks again and again until the answer is there. @throws Error that names what did not come true */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  patienceMs = usualPatienceMs,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`did not come true in ${patienceMs} ms: ${what}`);
    await delay(pauseMs);
  }
}

/** The same of a question that is answered with yes or no. */
export async function untilSo(what: string, isSo: () => Promise<boolean>, patienceMs?: number): Promise<void> {
  await until(what, async () => (await isSo()) || undefined, patienceMs);
}

/** So often in a row that each of several servers, which take requests in turn, has said so. */
export async function untilInRow(what: string, isSo: () => Promise<boolean>, times = 8): Promise<void> {
  let row = 0;
  await until(what, async () => {
    row = (await isSo()) ? row + 1 : 0;
    return row >= times || undefined;
  });
}
