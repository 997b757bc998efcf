import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { unless } from "../rules.js";

/** `v1.32.0`, `1.32.0-rc.1`, `v1.32.0+build`. */
const release = /^v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+][0-9A-Za-z.+-]{1,128})?$/;
/** `stable`, `latest-1`, `stable-1.32`. */
const label = /^(?:stable|latest)(?:-\d{1,6}(?:\.\d{1,6})?)?$/;

/** What is set up where a file says `text`: a label is looked up nowhere, it means this program's `own` version. */
export function clusterVersion(text: string, own: string): string {
  if (text === "" || label.test(text)) return own;
  return release.test(text) && !text.startsWith("v") ? `v${text}` : text;
}

export const checkVersion = (text: string, field: string): readonly FieldError[] =>
  unless(release.test(text), () =>
    fieldError.invalid(
      field,
      text,
      `version ${JSON.stringify(text)} doesn't match patterns for neither semantic version nor labels (stable, latest, ...)`,
    ),
  );
