/** A length of time as tables show it: `5s`, `3m`, `2h`, `4d`. */
export function ageText(ms: number): string {
  if (Number.isNaN(ms)) return "";
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h`;
  return `${Math.floor(hours / 24)}d`;
}

/** A moment in words: `3m ago`. */
export const agoText = (then: number, now: number): string => (Number.isNaN(then) ? "" : `${ageText(now - then)} ago`);

/** A moment as it is read, in the reader's own zone. */
export function momentText(time: string): string {
  const then = new Date(time);
  return Number.isNaN(then.getTime())
    ? time
    : then.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
