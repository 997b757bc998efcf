import { isJsonObject, type JsonObject } from "../json.js";
import { badAnswer } from "./ask.js";

/** The status of an answered review. Kind and version may be left out and must not be others. @throws WebhookError */
export function statusOf(answer: unknown, review: { readonly apiVersion: string; readonly kind: string }): JsonObject {
  if (!isJsonObject(answer)) throw badAnswer("it is no object");
  const { apiVersion = review.apiVersion, kind = review.kind, status } = answer;
  if (apiVersion !== review.apiVersion || kind !== review.kind) {
    throw badAnswer(`it is no ${review.kind} of ${review.apiVersion}`);
  }
  if (!isJsonObject(status)) throw badAnswer("it has no status");
  return status;
}

/** What is absent or null is false, empty, none, as everywhere in the interface. @throws WebhookError */
export function flagOf(fields: JsonObject, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== "boolean") throw badAnswer(`${name} is no boolean`);
  return value;
}

export function textOf(fields: JsonObject, name: string): string {
  const value = fields[name] ?? "";
  if (typeof value !== "string") throw badAnswer(`${name} is no text`);
  return value;
}

export function textsOf(fields: JsonObject, name: string): readonly string[] {
  const value = fields[name] ?? [];
  if (!isTexts(value)) throw badAnswer(`${name} are no list of texts`);
  return value;
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const maxShown = 1000;

/** A text of a webhook, cut to what a log or an answer of ours may bear. */
export const shortened = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
