import { podAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import type { AnyObject, ApiObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { dnsSubdomain, pathSegment } from "@orch/schema/formats/names.js";
import { type ApiError, forbidden } from "@orch/status/api-error.js";
import { generatedName } from "../../write/generated-name.js";
import { findStored } from "../../write/storing/stored.js";
import { builtIn, resourceOf, type Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { secretProblem, usesSecrets } from "./pod-secrets.js";
import type { AccountedPod, AccountedPodSpec, ServiceAccount } from "./service-account-types.js";
import { withTokenMounted } from "./token-volume.js";

export interface ServiceAccountAdmissionDeps {
  readonly naming: Naming;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

const usual = "default";
/** A controller makes the usual account soon after its namespace. */
const lookups = 10;
const pauseMs = { least: 100, spread: 100 };
const yes: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/** Gives every new pod a service account that exists, and the account's token (rules: Authentication). */
export function serviceAccountAdmission({ naming, pause }: ServiceAccountAdmissionDeps): AdmissionPlugin {
  const { mirror } = podAnnotationKeys(naming);
  const enforce = naming.key("enforce-mountable-secrets");
  const found = new WeakMap<Write, ServiceAccount>();
  const isMirror = ({ metadata }: ApiObject): boolean => metadata.annotations?.[mirror] !== undefined;

  const accountOf = async (write: Write, pod: AccountedPod): Promise<ServiceAccount> => {
    const { namespace } = write.request;
    const name = pod.spec?.serviceAccountName ?? "";
    if (name === "")
      throw refused(write, pod, `no service account specified for pod ${namespace}/${pod.metadata.name}`);
    const known = found.get(write);
    if (known?.metadata.name === name) return known;
    const account = await lookUp(write, name, pause);
    if (account !== undefined) {
      found.set(write, account);
      return account;
    }
    const [problem] = pathSegment(name);
    const invalid = problem === undefined ? undefined : `invalid resource name ${JSON.stringify(name)}: [${problem}]`;
    const why = invalid ?? `serviceaccount ${JSON.stringify(name)} not found`;
    throw refused(write, pod, `error looking up service account ${namespace}/${name}: ${why}`);
  };
  const checkSecrets = async (write: Write, pod: AccountedPod, parts: "created" | "ephemeral"): Promise<void> => {
    const account = await accountOf(write, pod);
    if (!yes.has(account.metadata.annotations?.[enforce] ?? "")) return;
    const problem = secretProblem(pod.spec ?? {}, account, parts);
    if (problem !== undefined) throw refused(write, pod, problem);
  };

  const checkCreated = async (write: Write, pod: AccountedPod): Promise<void> => {
    if (!isMirror(pod)) return checkSecrets(write, pod, "created");
    const problem = mirrorProblem(pod);
    if (problem !== undefined) throw refused(write, pod, problem);
  };

  return {
    name: "ServiceAccount",
    handles: ({ group, plural }, subresource) =>
      group === "" && plural === "pods" && (subresource === "" || subresource === "ephemeralcontainers"),
    async mutateCreate(write, object) {
      // The node that runs a mirror pod would take a change for another pod.
      if (isMirror(object)) {
        await checkCreated(write, object);
        return object;
      }
      const pod = withAccount(object);
      const account = await accountOf(write, pod);
      const whole = withAccountParts(pod, account, { naming, random: write.deps.random });
      // What an account forbids is told before what the pod's own rules do, as in the reference.
      await checkCreated(write, whole);
      return whole;
    },
    async validate({ write, object, old }) {
      if (write.request.subresource === "ephemeralcontainers") return checkSecrets(write, object, "ephemeral");
      if (old === undefined) await checkCreated(write, object);
    },
  };
}

function refused({ kind }: Write, { metadata }: ApiObject, why: string): ApiError {
  return forbidden(resourceOf(kind), metadata.name ?? metadata.generateName ?? "Unknown", why);
}

/** The store's own state: whoever made the account a moment ago may use it. */
async function lookUp(
  write: Write,
  name: string,
  pause: (ms: number) => Promise<void>,
): Promise<ServiceAccount | undefined> {
  // No account has such a name, and no key of the store.
  if (dnsSubdomain(name).length > 0) return undefined;
  const kind = builtIn(write, "v1", "ServiceAccount");
  const between = pauseMs.least + Math.floor(write.deps.random() * pauseMs.spread);
  for (let left = name === usual ? lookups : 1; left > 0; left--) {
    const account = await findStored(write, kind, name);
    if (account !== undefined) return account;
    if (left > 1) await pause(between);
  }
  return undefined;
}

interface PodObject extends AnyObject {
  readonly spec: AccountedPodSpec;
}

function withAccount(object: AnyObject): PodObject {
  const { spec = {} }: AccountedPod = object;
  const name = spec.serviceAccountName ?? "";
  const account = name === "" ? usual : name;
  return { ...object, spec: { ...spec, serviceAccountName: account, serviceAccount: account } };
}

interface Parts {
  readonly naming: Naming;
  readonly random: () => number;
}

function withAccountParts(pod: PodObject, account: ServiceAccount, { naming, random }: Parts): AnyObject {
  const pulls = (account.imagePullSecrets ?? []).map(({ name }) => (name === undefined ? {} : { name }));
  const hasOwn = (pod.spec.imagePullSecrets ?? []).length > 0;
  const spec = hasOwn || pulls.length === 0 ? pod.spec : { ...pod.spec, imagePullSecrets: pulls };
  // The pod's word counts, then the account's.
  const mounts = pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (!mounts) return { ...pod, spec };
  return { ...pod, spec: withTokenMounted(spec, { naming, newName: (prefix) => generatedName(prefix, random) }) };
}

/** What a pod that a node runs by itself may not have: its node could read by it what is not the node's to read. */
function mirrorProblem({ spec = {} }: AccountedPod): string | undefined {
  if ((spec.serviceAccountName ?? "") !== "") return "a mirror pod may not reference service accounts";
  if (usesSecrets(spec)) return "a mirror pod may not reference secrets";
  const projections = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (projections.every((source) => source.serviceAccountToken === undefined)) return undefined;
  return "a mirror pod may not use ServiceAccountToken volume projections";
}
