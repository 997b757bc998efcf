import { type PluginParts, parseWebhookAdmission, readAdmissionControl } from "@orch/access/admission-control.js";
import { webhookCredentials } from "@orch/access/webhook-credentials.js";
import type { Parsed } from "@orch/auth/parsed.js";
import { presented, readClientConfig } from "@orch/client/config.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Question } from "@orch/outbound/caller.js";
import type { Destination } from "@orch/outbound/destination.js";
import { messageOf } from "@orch/status/message-of.js";

type CredentialsOf = Question["credentialsOf"];

/** What the file of `--admission-control-config-file` says of those who are called. */
export interface Backends {
  /** What webhooks are shown; nothing where absent. */
  readonly mutating?: CredentialsOf;
  readonly validating?: CredentialsOf;
  /** Who decides about images. */
  readonly image?: { readonly to: Destination; readonly credentialsOf: CredentialsOf };
}

export interface BackendDeps {
  readonly naming: Naming;
  /** Gives a file's text. */
  readonly read: (path: string) => string;
}

const webhooks = { mutating: "MutatingAdmissionWebhook", validating: "ValidatingAdmissionWebhook" } as const;
const images = "ImagePolicyWebhook";

/** Reads the file at `path`, and the client configuration files that it names; "": none. */
export async function readBackends(path: string, { naming, read }: BackendDeps): Promise<Parsed<Backends>> {
  if (path === "") return { ok: true, value: {} };
  const parts = readAdmissionControl(path, { naming, read });
  if (!parts.ok) return parts;
  const problems: string[] = [];
  const told = (plugin: string, why: string): void =>
    void problems.push(`couldn't init admission plugin ${JSON.stringify(plugin)}: ${why}`);
  const loaded = async <T>(plugin: string, load: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await load();
    } catch (error) {
      told(plugin, messageOf(error));
      return undefined;
    }
  };
  const credentials = async (plugin: string): Promise<CredentialsOf | undefined> => {
    const file = parseWebhookAdmission(parts.value.get(plugin), naming);
    if (!file.ok) for (const why of file.problems) told(plugin, why);
    return file.ok && file.value !== "" ? loaded(plugin, () => webhookCredentials(file.value)) : undefined;
  };
  const imageFile = imagePolicyFile(parts.value);
  const [mutating, validating, image] = await Promise.all([
    credentials(webhooks.mutating),
    credentials(webhooks.validating),
    imageFile === "" ? undefined : loaded(images, () => imageBackend(imageFile)),
  ]);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: {
      ...(mutating === undefined ? {} : { mutating }),
      ...(validating === undefined ? {} : { validating }),
      ...(image === undefined ? {} : { image }),
    },
  };
}

/** All else that the part says is for whoever judges pods. */
function imagePolicyFile(parts: PluginParts): string {
  const part: unknown = parts.get(images);
  const policy: unknown = part instanceof Object ? Reflect.get(part, "imagePolicy") : undefined;
  const path: unknown = policy instanceof Object ? Reflect.get(policy, "kubeConfigFile") : undefined;
  return typeof path === "string" ? path : "";
}

async function imageBackend(path: string): Promise<NonNullable<Backends["image"]>> {
  const config = await readClientConfig(path);
  const shown = presented(config);
  return { to: { endpoint: { type: "url", url: config.server }, ca: config.ca ?? "" }, credentialsOf: () => shown };
}
