import type { Dialect } from "@orch/naming/naming.js";
import type { StructDeclaration } from "./check/environment.js";
import { type Type, t } from "./check/types.js";
import { type Range, range } from "./cost/sizes.js";
import { type CelEnvironment, createEnvironment, type EnvironmentOptions, type ExtraLibrary } from "./environment.js";
import type { Declared } from "./schema/declare.js";

/** An object of an interface whose fields expressions may name. */
interface RecordType {
  readonly name: string;
  readonly fields: Readonly<Record<string, Type | RecordType>>;
}

const isRecord = (type: Type | RecordType): type is RecordType => "fields" in type;

/** The types of a record and of those inside of it, by their names. */
function declareRecord(domain: string, record: RecordType, structs: Map<string, StructDeclaration>): Type {
  const name = `${domain}.${record.name}`;
  const fields = new Map<string, Type>();
  for (const [field, type] of Object.entries(record.fields)) {
    fields.set(field, isRecord(type) ? declareRecord(domain, type, structs) : type);
  }
  structs.set(name, { field: (field) => fields.get(field) });
  return t.struct(name);
}

const texts = t.list(t.string);
const textMap = t.map(t.string, t.string);

const userInfo: RecordType = {
  name: "UserInfo",
  fields: { username: t.string, uid: t.string, groups: texts, extra: t.map(t.string, texts) },
};

const kind: RecordType = { name: "GroupVersionKind", fields: { group: t.string, version: t.string, kind: t.string } };
const resource: RecordType = {
  name: "GroupVersionResource",
  fields: { group: t.string, version: t.string, resource: t.string },
};

/** What an admission request shows; its objects are variables of their own. */
const admissionRequest: RecordType = {
  name: "AdmissionRequest",
  fields: {
    kind,
    resource,
    subResource: t.string,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: t.string,
    name: t.string,
    namespace: t.string,
    operation: t.string,
    userInfo,
    dryRun: t.bool,
    options: t.dyn,
  },
};

const namespace: RecordType = {
  name: "Namespace",
  fields: {
    metadata: {
      name: "NamespaceMetadata",
      fields: {
        name: t.string,
        generateName: t.string,
        namespace: t.string,
        labels: textMap,
        annotations: textMap,
        UID: t.string,
        creationTimestamp: t.timestamp,
        deletionGracePeriodSeconds: t.int,
        deletionTimestamp: t.timestamp,
        generation: t.int,
        resourceVersion: t.string,
        finalizers: texts,
      },
    },
    spec: { name: "NamespaceSpec", fields: { finalizers: texts } },
    status: { name: "NamespaceStatus", fields: { phase: t.string } },
  },
};

/** The subject of an authorization. The type of a requirement is named inside of a list: see {@link authorizationTypes}. */
function authorizationTypes(domain: string): RecordType {
  const requirement = t.list(t.struct(`${domain}.SelectorRequirement`));
  const selector = (name: string): RecordType => ({
    name,
    fields: { rawSelector: t.string, requirements: requirement },
  });
  return {
    name: "SubjectAccessReviewSpec",
    fields: {
      user: t.string,
      groups: texts,
      uid: t.string,
      extra: t.map(t.string, texts),
      resourceAttributes: {
        name: "ResourceAttributes",
        fields: {
          namespace: t.string,
          verb: t.string,
          group: t.string,
          version: t.string,
          resource: t.string,
          subresource: t.string,
          name: t.string,
          fieldSelector: selector("FieldSelectorAttributes"),
          labelSelector: selector("LabelSelectorAttributes"),
        },
      },
      nonResourceAttributes: { name: "NonResourceAttributes", fields: { path: t.string, verb: t.string } },
    },
  };
}

const selectorRequirement: RecordType = {
  name: "SelectorRequirement",
  fields: { key: t.string, operator: t.string, values: texts },
};

type Extra = Pick<EnvironmentOptions, "release" | "extra" | "selectors">;

function environment(
  dialect: Dialect,
  records: Readonly<Record<string, Type | RecordType>>,
  extra: Extra & { readonly inner?: readonly RecordType[] } = {},
): CelEnvironment {
  const { inner = [], ...options } = extra;
  const structs = new Map<string, StructDeclaration>();
  const variables = new Map<string, Type>();
  for (const record of inner) declareRecord(dialect, record, structs);
  for (const [name, type] of Object.entries(records)) {
    variables.set(name, isRecord(type) ? declareRecord(dialect, type, structs) : type);
  }
  return createEnvironment({ dialect, structs, variables, ...options });
}

/** Claims of a token: `claims`. */
export const claimsEnvironment = (dialect: Dialect): CelEnvironment =>
  environment(dialect, { claims: t.map(t.string, t.any) });

/** The user that claims were mapped to: `user`. */
export const userEnvironment = (dialect: Dialect): CelEnvironment => environment(dialect, { user: userInfo });

/** Match conditions of authorization webhooks: `request`. */
export const authorizationEnvironment = (dialect: Dialect): CelEnvironment =>
  environment(dialect, { request: authorizationTypes(dialect) }, { inner: [selectorRequirement] });

export interface AdmissionOptions {
  /** Of new policies; undefined for what is stored. */
  readonly release?: number;
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** Libraries of some policies alone. */
  readonly extra?: readonly ExtraLibrary[];
}

/** Policies and match conditions of admission: the objects, the request, the namespace, and who may what. */
export function admissionEnvironment(dialect: Dialect, options: AdmissionOptions = {}): CelEnvironment {
  const { release, params = false, authorizer = true, extra = [] } = options;
  const checks = {
    authorizer: t.struct(`${dialect}.authorization.Authorizer`),
    "authorizer.requestResource": t.struct(`${dialect}.authorization.ResourceCheck`),
  };
  return environment(
    dialect,
    {
      object: t.dyn,
      oldObject: t.dyn,
      request: admissionRequest,
      namespaceObject: namespace,
      ...(params && { params: t.dyn }),
      ...(authorizer && checks),
    },
    { extra, ...(release !== undefined && { release }) },
  );
}

const mapBound = 32;
const attributeBound = 64;
const domainBound = 63;
const nameBound = 32;
const driverBound = 63;

const sized = (type: Type, max: number, more: Partial<Declared> = {}): Declared => ({ type, min: 0, max, ...more });
const attribute = sized(t.any, attributeBound);

/** Selectors of devices: `device`, versions and bindings. */
export function deviceEnvironment(dialect: Dialect): {
  readonly env: CelEnvironment;
  size(path: readonly string[]): Range | undefined;
} {
  const quantity = t.struct(`${dialect}.Quantity`);
  const bounded = (element: Declared): Declared => {
    const inner = sized(t.map(t.string, element.type), mapBound, { key: sized(t.string, nameBound), element });
    return sized(t.map(t.string, inner.type), mapBound, { key: sized(t.string, domainBound), element: inner });
  };
  const fields = new Map([
    ["driver", sized(t.string, driverBound)],
    ["attributes", bounded(attribute)],
    ["capacity", bounded(sized(quantity, 0))],
  ]);
  const record: RecordType = {
    name: "DRADevice",
    fields: Object.fromEntries([...fields].map(([name, { type }]) => [name, type])),
  };
  const root = sized(t.struct(`${dialect}.DRADevice`), 0, { fields });
  return {
    env: environment(dialect, { device: record }, { extra: ["semver", "bindings"] }),
    size: (path) => {
      let at: Declared | undefined = path[0] === "device" ? root : undefined;
      for (const step of path.slice(1)) at = at && stepInto(at, step);
      return at && range(0, at.max);
    },
  };
}

function stepInto(at: Declared, step: string): Declared | undefined {
  if (step === "@items" || step === "@values") return at.element;
  if (step === "@keys") return at.key;
  // An attribute is as long as any other, whatever its name.
  return at.fields?.get(step) ?? (at.element === attribute ? attribute : undefined);
}
