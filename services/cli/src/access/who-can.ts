import { parseArgs } from "node:util";
import { danglingBindings, whoMay } from "@orch/auth/rbac/who-may.js";
import { messageOf } from "@orch/status/message-of.js";
import {
  type ExplainWorld,
  inSession,
  printable,
  type Session,
  sessionHelp,
  sessionOptions,
  Unusable,
} from "../explain/session.js";
import { questionOf, questionText } from "./question.js";
import { readRbac } from "./read-rbac.js";
import { referenceText, type WhoCan, whoCanText } from "./text.js";

const help = `usage:
  orch who-can [options] VERB RESOURCE[/NAME]   who may do it by RBAC, with the binding, the role and its rules
  orch who-can [options] VERB /path

options:
  --subresource NAME   of the resource (status, log, exec)
  -A, --all-namespaces in all namespaces at once: rights of the cluster alone
  -o, --output FORM    text or json (text)
${sessionHelp}

It ends with 0 if somebody may, 1 if nobody may by RBAC, 2 if it cannot be told.`;

const options = {
  ...sessionOptions,
  subresource: { type: "string" },
  "all-namespaces": { type: "boolean", short: "A" },
} as const;

export const whoCanFlags: readonly string[] = Object.keys(options);

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });

/** Runs `orch who-can`; gives the exit status. */
export async function runWhoCan(args: readonly string[], world: ExplainWorld): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) {
      world.print(help);
      return 0;
    }
    const { output = "text" } = values;
    if (output !== "text" && output !== "json") throw new Unusable("--output: must be text or json");
    const told = await inSession({ values, world, agent: "orch-who-can" }, (session) =>
      answer(session, positionals, values),
    );
    world.print(output === "json" ? JSON.stringify(told, undefined, 2) : whoCanText(told));
    return told.allowances.length > 0 ? 0 : 1;
  } catch (error) {
    world.print(printable(`orch who-can: ${messageOf(error)}`));
    return 2;
  }
}

async function answer(
  session: Session,
  words: readonly string[],
  values: Parameters<typeof questionOf>[2],
): Promise<WhoCan> {
  const question = questionOf(session, words, values);
  const namespace = "path" in question ? "" : question.namespace;
  const { objects, unread } = await readRbac(session, namespace);
  const isNothingRead = unread.includes("clusterrolebindings") && (namespace === "" || unread.includes("rolebindings"));
  if (isNothingRead) throw new Unusable("you may not list the bindings of roles");
  const dangling = danglingBindings(objects, namespace).filter(() => !unread.some((one) => one.endsWith("roles")));
  return {
    question: questionText(question),
    allowances: whoMay(objects, question),
    notes: [
      `members of the group ${session.naming.mastersGroup} may do everything`,
      ...unread.map((resource) => `you may not list ${resource}: who has rights by them is not told`),
      ...dangling.map((one) => `${bindingText(one)} names the ${one.role.kind} ${one.role.name}, which is not there`),
      "authorizers other than RBAC (Node, ABAC, webhooks), where the server has them, list nobody: ask orch can-i --as=NAME --explain",
    ],
  };
}

function bindingText({ name, namespace }: { readonly name: string; readonly namespace: string }): string {
  return referenceText({ kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding", name, namespace });
}
