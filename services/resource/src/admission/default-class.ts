import type { AnyObject, ApiObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../mirror.js";
import type { AdmissionPlugin } from "./admission.js";

interface ClassRule {
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  /** The field of the spec that names the class. */
  readonly field: "storageClassName" | "ingressClassName";
  /** What named the class before there was a field. */
  readonly annotation: string;
  /** Annotations of which one, when it is `true`, makes a class the default one. */
  readonly marks: readonly string[];
  readonly classes: Mirror;
}

/** A claim that names no class gets the default one. */
export function defaultStorageClass(naming: Naming, classes: Mirror): AdmissionPlugin {
  return defaultClass({
    name: "DefaultStorageClass",
    ...{ group: "", plural: "persistentvolumeclaims", field: "storageClassName", classes },
    annotation: `volume.beta.${naming.key("storage-class")}`,
    marks: [`storageclass.${naming.key("is-default-class")}`, `storageclass.beta.${naming.key("is-default-class")}`],
  });
}

/** An ingress that names no class gets the default one. */
export function defaultIngressClass(naming: Naming, classes: Mirror): AdmissionPlugin {
  return defaultClass({
    name: "DefaultIngressClass",
    ...{ group: naming.group("networking"), plural: "ingresses", field: "ingressClassName", classes },
    annotation: naming.key("ingress.class"),
    marks: [`ingressclass.${naming.key("is-default-class")}`],
  });
}

function defaultClass({ name, group, plural, field, annotation, marks, classes }: ClassRule): AdmissionPlugin {
  return {
    name,
    handles: (kind, subresource) => kind.group === group && kind.plural === plural && subresource === "",
    mutateCreate(_write, object) {
      const { spec = {}, metadata }: AnyObject & { readonly spec?: Readonly<Record<string, unknown>> } = object;
      if (spec[field] !== undefined || metadata.annotations?.[annotation] !== undefined) return object;
      const chosen = chooseDefault(classes.inNamespace(""), marks);
      return chosen === undefined ? object : { ...object, spec: { ...spec, [field]: chosen.metadata.name } };
    },
  };
}

/** Of several default classes the newest; of those of one second the first by its name. */
export function chooseDefault(classes: readonly ApiObject[], marks: readonly string[]): ApiObject | undefined {
  const marked = classes.filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === "true"));
  return marked.reduce<ApiObject | undefined>(
    (best, each) => (best === undefined || isPreferred(each, best) ? each : best),
    undefined,
  );
}

function isPreferred({ metadata: a }: ApiObject, { metadata: b }: ApiObject): boolean {
  const [ofA, ofB] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  return ofA === ofB ? (a.name ?? "") < (b.name ?? "") : ofA > ofB;
}
