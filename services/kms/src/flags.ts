import { boolFlag, durationFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";

const group = "Encryption";

/** Flags of whatever holds the keys of what is stored. */
export const encryptionFlags = {
  "encryption-provider-config": stringFlag("", {
    group,
    word: "file",
    help: "EncryptionConfiguration: which resources are stored encrypted, and by which keys; nothing is where absent",
  }),
  "encryption-provider-config-automatic-reload": boolFlag(false, {
    group,
    help: "read that file again when it changes; one that is wrong leaves the one before in force",
  }),
  "encryption-provider-config-reload-interval": durationFlag(60_000, {
    group,
    help: "how often it is looked at",
  }),
  "encryption-kms-status-interval": durationFlag(60_000, {
    group,
    help: "how often KMS plugins that are well are asked for their status, which tells of another key",
  }),
} as const;
