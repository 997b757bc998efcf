import type { AnyObject } from "@orch/api/object.js";
import { messageOf } from "@orch/status/message-of.js";
import type { AdmissionPlugin } from "../admission/admission.js";
import type { Write } from "../write/write.js";
import type { Step } from "./explaining.js";

/** The same plugins, which tell an explanation what came of each. They are for explained writes alone. */
export function toldPlugins(plugins: readonly AdmissionPlugin[]): readonly AdmissionPlugin[] {
  return plugins.map((plugin) => (ofParts.has(plugin.name) ? plugin : told(plugin)));
}

/** Whose policies and webhooks tell for themselves. */
const ofParts: ReadonlySet<string> = new Set([
  ...["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"],
  "ValidatingAdmissionPolicy",
]);

function told(plugin: AdmissionPlugin): AdmissionPlugin {
  const { name, mutateCreate, mutateUpdate, validate, validateCreate } = plugin;
  const changed = (write: Write, object: AnyObject, ask: () => AnyObject | Promise<AnyObject>): Promise<AnyObject> =>
    telling(write, name, ask, (after) => ({
      outcome: after === object ? "unchanged" : "changed",
      ...{ before: object, after },
    }));
  return {
    ...plugin,
    ...(mutateCreate && {
      mutateCreate: (write, object) => changed(write, object, () => mutateCreate(write, object)),
    }),
    ...(mutateUpdate && {
      mutateUpdate: (write, object, old) => changed(write, object, () => mutateUpdate(write, object, old)),
    }),
    ...(validate && { validate: (state) => telling(state.write, name, () => validate(state), judged) }),
    ...(validateCreate && {
      validateCreate: (state) => telling(state.write, name, () => validateCreate(state), judged),
    }),
  };
}

type Came = Omit<Step, "by">;

async function telling<T>(
  { explaining }: Write,
  name: string,
  ask: () => T | Promise<T>,
  came: (answer: T) => Came,
): Promise<T> {
  const tell = (step: Came): void => explaining?.asked({ by: { type: "plugin", name }, ...step });
  try {
    const answer = await ask();
    tell(came(answer));
    return answer;
  } catch (error) {
    tell({ outcome: "denied", message: messageOf(error) });
    throw error;
  }
}

function judged(advice: Awaited<ReturnType<NonNullable<AdmissionPlugin["validate"]>>>): Came {
  const { refusal, warnings = [] } = advice ?? {};
  if (refusal !== undefined) return { outcome: "denied", message: refusal.message };
  return warnings.length === 0 ? { outcome: "allowed" } : { outcome: "warned", message: warnings.join("; ") };
}
