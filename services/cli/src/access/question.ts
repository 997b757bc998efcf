import type { AccessQuestion } from "@orch/auth/rbac/who-may.js";
import { findResource, type Session, Unusable } from "../explain/session.js";

export interface QuestionValues {
  readonly subresource?: string | undefined;
  readonly "all-namespaces"?: boolean | undefined;
}

/** `VERB RESOURCE[/NAME]`, `VERB RESOURCE NAME` or `VERB /path`. @throws Unusable */
export function questionOf(session: Session, words: readonly string[], values: QuestionValues): AccessQuestion {
  const [verb, what, named, ...more] = words;
  if (verb === undefined || what === undefined || more.length > 0) throw new Unusable("write VERB RESOURCE[/NAME]");
  if (what.startsWith("/")) return { verb, path: what };
  const slash = what.indexOf("/");
  const [word, name] = slash < 0 ? [what, named ?? ""] : [what.slice(0, slash), what.slice(slash + 1)];
  const resource = findResource(session.resources, word);
  // Rights may be given to what is not served yet.
  const [plural = "", ...group] = word.split(".");
  const {
    group: of,
    resource: found,
    namespaced,
  } = resource ?? {
    ...{ group: group.join("."), resource: plural, namespaced: true },
  };
  const everywhere = values["all-namespaces"] === true || !namespaced;
  // Who may do something to a namespace may have the right in it alone.
  const isNamespace = of === "" && found === "namespaces" && name !== "";
  const namespace = isNamespace ? name : everywhere ? "" : session.namespace;
  return { verb, group: of, resource: found, subresource: values.subresource ?? "", name, namespace };
}

/** As people read it. */
export function questionText(question: AccessQuestion): string {
  if ("path" in question) return `${question.verb} ${question.path}`;
  const { verb, group, resource, subresource, name, namespace } = question;
  const part = subresource === "" ? "" : `/${subresource}`;
  const what = `${resource}${group === "" ? "" : `.${group}`}${part}${name === "" ? "" : ` ${JSON.stringify(name)}`}`;
  return `${verb} ${what}${namespace === "" ? "" : ` in namespace ${namespace}`}`;
}
