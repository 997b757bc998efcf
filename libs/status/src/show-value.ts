import { quoted } from "./quoted.js";

const maxShown = 10_000;

/**
 * A value as error texts show it: strings as {@link quoted} has them, everything else as JSON, cut where it is huge. No
 * more of it is looked at than is shown, since a list may be shown once for each of its items.
 */
export function showValue(value: unknown): string {
  const text = { parts: [], room: maxShown };
  if (typeof value === "string") put(text, quoted(value.slice(0, maxShown + 1)));
  else append(text, value);
  const whole = text.parts.join("");
  return whole.length > maxShown ? `${whole.slice(0, maxShown)}…` : whole;
}

interface Text {
  readonly parts: string[];
  /** Characters that there is room for; below zero when the text is full. */
  room: number;
}

function put(text: Text, part: string): void {
  text.parts.push(part);
  text.room -= part.length;
}

function append(text: Text, value: unknown): void {
  if (text.room < 0) return;
  if (Array.isArray(value)) appendList(text, value);
  else if (typeof value === "object" && value !== null) appendObject(text, value);
  else put(text, scalar(typeof value === "string" ? value.slice(0, text.room + 1) : value));
}

function scalar(value: unknown): string {
  return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
}

function appendList(text: Text, list: readonly unknown[]): void {
  put(text, "[");
  for (let i = 0; i < list.length && text.room >= 0; i++) {
    if (i > 0) put(text, ",");
    append(text, list[i]);
  }
  put(text, "]");
}

function appendObject(text: Text, object: object): void {
  put(text, "{");
  let first = true;
  for (const name of Object.keys(object)) {
    if (text.room < 0) break;
    const value: unknown = Reflect.get(object, name);
    if (value === undefined) continue;
    if (!first) put(text, ",");
    first = false;
    append(text, name);
    put(text, ":");
    append(text, value);
  }
  put(text, "}");
}
