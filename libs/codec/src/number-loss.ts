/** Errors for numbers that a tree cannot hold: such numbers are refused, never rounded silently. */
export function outOfRange(number: string): string {
  return `number ${shortened(number)} is out of range`;
}

export function rounded(integer: string): string {
  return `integer ${shortened(integer)} is outside ±2^63 and could not be kept exactly`;
}

/** A number as errors show it. */
export function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
