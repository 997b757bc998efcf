import { configurationWords } from "./configuration-words.js";

/**
 * The product's words. Every group suffix, vendor token and key prefix of the interface is made here,
 * in one of two dialects chosen once at start (`--api-dialect`).
 *
 * Data files (the catalog) are written in the `orch` dialect; {@link Naming.word} turns a word of
 * theirs into the word of the dialect in force.
 */
export const dialects = ["orch", "kubernetes"] as const;
export type Dialect = (typeof dialects)[number];

export interface Naming {
  readonly dialect: Dialect;
  /** `discovery` → `discovery.orch` | `discovery.k8s.io`. */
  group(short: string): string;
  /** `metadata.name` → `orch/metadata.name` | `kubernetes.io/metadata.name`. */
  key(name: string): string;
  /** The domain of such keys by itself: `orch` | `kubernetes.io`. */
  readonly keyDomain: string;
  /** As texts for people name it. */
  readonly productName: string;
  /** A word of a data file (group, label key, finalizer, column source…) in this dialect. */
  word(orchWord: string): string;
  /** `application/vnd.orch.protobuf` | `application/vnd.kubernetes.protobuf`. */
  readonly protobufMediaType: string;
  /** Group of meta types: `meta.orch` | `meta.k8s.io`. */
  readonly metaGroup: string;
  /** Annotation of the bookmark that ends the initial events of a streaming list (rules: Change tracking, 4). */
  readonly initialEventsEnd: string;
  /** An annotation of audit events: `deprecated` → `orch/deprecated` | `k8s.io/deprecated`. */
  auditKey(name: string): string;
  /** Of an audit annotation: how long a part of a request took. */
  latencyKey(part: string): string;
  /** `api.core.v1.Pod` → `io.orch.api.core.v1.Pod` | `io.k8s.api.core.v1.Pod`: the name of a published schema. */
  schemaName(path: string): string;
  /** Value of a namespace's own finalizer. */
  readonly namespaceFinalizer: string;
  /** Names of the namespaces that the system keeps: `default` and three with the dialect's prefix. */
  readonly systemNamespaces: readonly string[];
  /** The name of one of the system's own parts: `scheduler` → `orch-scheduler` | `kube-scheduler`. */
  systemName(part: string): string;
  /** A name of component configurations, a kind or a field: `OrchProxyConfiguration`, `orchconfig` → … | `kubeconfig`. */
  configurationWord(name: string): string;
  /** A group of theirs: `orchscheduler.config` → `orchscheduler.config.orch` | `kubescheduler.config.k8s.io`. */
  configurationGroup(short: string): string;
  /** A header of responses: `PF-FlowSchema-UID` → `X-Orch-PF-…` | `X-Kubernetes-PF-…`. */
  header(name: string): string;
  /** A variable of the environment: `EXEC_INFO` → `ORCH_EXEC_INFO` | `KUBERNETES_EXEC_INFO`. */
  environment(name: string): string;
  /** Root of every key in the store, with its closing slash. */
  readonly storePrefix: string;
  /** `apiVersion` of the client configuration file. */
  readonly clientConfigApiVersion: string;
  /** `apiVersion` of the lines of an ABAC policy file; the dialect's other groups end otherwise. */
  readonly abacApiVersion: string;
  /** The client that applies on its own side, and the annotation in which it keeps what it applied last. */
  readonly clientSideApply: { readonly manager: string; readonly annotation: string };
  /** Group of the identities that may do everything. */
  readonly mastersGroup: string;
  readonly anonymousUser: string;
  readonly authenticatedGroup: string;
  readonly unauthenticatedGroup: string;
}

/** Group of what is answered about objects' past: no other implementation has it, so it is the same in each dialect. */
export const historyGroup = "history.orch";

/** A key of that group: `undeleted-uid` → `history.orch/undeleted-uid`. */
export const historyKey = (name: string): string => `${historyGroup}/${name}`;

/** Group of sets of objects, in each dialect too. */
export const setsGroup = "sets.orch";

/** The groups of no other implementation, by what stands before the last word: their names are not translated. */
const ownGroups: ReadonlySet<string> = new Set(["history.", "sets.", "explain."]);

/** A key of the group of sets: `part-of` → `sets.orch/part-of`. */
export const setsKey = (name: string): string => `${setsGroup}/${name}`;

/** Group of what explains writes: the same in each dialect, too. */
export const explainGroup = "explain.orch";

/**
 * Annotation of a bookmark: what the client may see is more than before, and all of it has been sent. No other implementation has it,
 * so it is the same in each dialect.
 */
export const permittedChanged = "lists.orch/permitted-changed";

interface Words {
  readonly groupSuffix: string;
  readonly keyDomain: string;
  readonly vendor: string;
  readonly finalizer: string;
  readonly systemPrefix: string;
  readonly headerPrefix: string;
  readonly environmentPrefix: string;
  readonly clientConfigApiVersion: string;
  readonly schemaDomain: string;
  readonly aggregator: string;
  readonly applyManager: string;
  readonly applyDomain: string;
}

const words: Record<Dialect, Words> = {
  orch: {
    groupSuffix: "orch",
    keyDomain: "orch",
    vendor: "vnd.orch",
    finalizer: "orch",
    systemPrefix: "orch-",
    headerPrefix: "X-Orch-",
    environmentPrefix: "ORCH_",
    clientConfigApiVersion: "orchconfig.orch/v1",
    schemaDomain: "io.orch",
    aggregator: "aggregator",
    applyManager: "orchctl",
    applyDomain: "orch",
  },
  kubernetes: {
    groupSuffix: "k8s.io",
    keyDomain: "kubernetes.io",
    vendor: "vnd.kubernetes",
    finalizer: "kubernetes",
    systemPrefix: "kube-",
    headerPrefix: "X-Kubernetes-",
    environmentPrefix: "KUBERNETES_",
    clientConfigApiVersion: "v1",
    schemaDomain: "io.k8s",
    aggregator: "kube-aggregator",
    applyManager: "kubectl",
    applyDomain: "kubectl.kubernetes.io",
  },
};

// `topology.orch/zone`, `orch/metadata.name`, `discovery.orch`, `discovery.orch/v1`: the word `orch`
// as a whole domain label, at the end of a domain.
const productLabel = /(^|[^A-Za-z0-9_-])((?:[a-z0-9-]+\.)*)orch(?![A-Za-z0-9_.-])/g;

/** One slash at each end: a prefix without them would take in the keys of its neighbours. */
function withSlashes(prefix: string): string {
  return `/${prefix.replace(/^\/+|\/+$/g, "")}/`.replace("//", "/");
}

/** `storePrefix` is the root of the keys in the store (`--etcd-prefix`). */
export function createNaming(dialect: Dialect, options: { readonly storePrefix?: string } = {}): Naming {
  const w = words[dialect];
  const word = (text: string): string => {
    if (dialect === "orch" || !text.includes("orch")) return text;
    return text.replace(productLabel, (match, before: string, subdomain: string, at: number) => {
      if (ownGroups.has(subdomain)) return match;
      const isKey = text[at + match.length] === "/" && !/^v\d/.test(text.slice(at + match.length + 1));
      if (!isKey && subdomain === "") return `${before}${w.finalizer}`;
      return `${before}${subdomain}${isKey ? w.keyDomain : w.groupSuffix}`;
    });
  };
  const configurationWord = (name: string): string =>
    dialect === "orch" ? name : (configurationWords.get(name) ?? name);
  return {
    dialect,
    configurationWord,
    configurationGroup: (short) => {
      const [first = "", ...rest] = short.split(".");
      return `${[configurationWord(first), ...rest].join(".")}.${w.groupSuffix}`;
    },
    group: (short) => `${short}.${w.groupSuffix}`,
    key: (name) => `${w.keyDomain}/${name}`,
    keyDomain: w.keyDomain,
    productName: `${w.finalizer.charAt(0).toUpperCase()}${w.finalizer.slice(1)}`,
    word,
    protobufMediaType: `application/${w.vendor}.protobuf`,
    metaGroup: `meta.${w.groupSuffix}`,
    initialEventsEnd: `${w.groupSuffix}/initial-events-end`,
    schemaName: (path) => `${w.schemaDomain}.${path.replace(/^aggregator(?=\.)/, w.aggregator)}`,
    auditKey: (name) => `${w.groupSuffix}/${name}`,
    latencyKey: (part) => `apiserver.latency.${w.groupSuffix}/${part}`,
    namespaceFinalizer: w.finalizer,
    systemNamespaces: ["default", ...["system", "public", "node-lease"].map((n) => w.systemPrefix + n)],
    systemName: (part) => w.systemPrefix + part,
    header: (name) => w.headerPrefix + name,
    environment: (name) => w.environmentPrefix + name,
    storePrefix: withSlashes(options.storePrefix ?? "/orch"),
    clientConfigApiVersion: w.clientConfigApiVersion,
    abacApiVersion: `abac.authorization.${w.keyDomain}/v1beta1`,
    clientSideApply: { manager: w.applyManager, annotation: `${w.applyDomain}/last-applied-configuration` },
    mastersGroup: "system:masters",
    anonymousUser: "system:anonymous",
    authenticatedGroup: "system:authenticated",
    unauthenticatedGroup: "system:unauthenticated",
  };
}
