import { intFlag, stringFlag } from "./flag-types.js";

const mebibyte = 1024 * 1024;

/** Where audit events wait on disk. */
export const spoolFlags = {
  "audit-spool-directory": stringFlag("", {
    group: "Audit",
    word: "folder",
    help: "where events wait on disk until whoever is to have them has them; no other process may use it",
  }),
  "audit-spool-max-bytes": intFlag(1024 * mebibyte, {
    group: "Audit",
    min: 65_536,
    help: "bytes that they may take; the oldest go when there are more",
  }),
} as const;
