/** Gives times of events as RFC 3339 with microseconds; `ms` is milliseconds since 1970, with fractions. */
export type FormatTime = (ms: number) => string;

/** The part up to the second is made once a second: most events have it from one before. */
export function createTimeFormat(): FormatTime {
  let second = Number.NaN;
  let prefix = "";
  return (ms) => {
    const whole = Math.floor(ms / 1000);
    if (whole !== second) {
      second = whole;
      prefix = new Date(whole * 1000).toISOString().slice(0, 20);
    }
    const micros = Math.floor((ms - whole * 1000) * 1000);
    return `${prefix}${String(micros).padStart(6, "0")}Z`;
  };
}
