import { parseArgs } from "node:util";
import { readReason } from "@orch/auth/rbac/read-reason.js";
import { type AccessQuestion, whyMay } from "@orch/auth/rbac/who-may.js";
import { pathOf } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { fieldsOf, itemsOf } from "../explain/explanation-text.js";
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
import { type ReadRbac, readRbac } from "./read-rbac.js";
import { type CanI, canIText, isReason } from "./text.js";

const help = `usage:
  orch can-i [options] VERB RESOURCE[/NAME]   whether you may do it
  orch can-i [options] VERB /path

options:
  --explain            by which binding, role and rule; or that another authorizer has decided
  --subresource NAME   of the resource (status, log, exec)
  -A, --all-namespaces in all namespaces at once
  -o, --output FORM    text or json (text)
${sessionHelp}

It ends with 0 for yes, 1 for no, 2 if it cannot be told.`;

const options = {
  ...sessionOptions,
  explain: { type: "boolean" },
  subresource: { type: "string" },
  "all-namespaces": { type: "boolean", short: "A" },
} as const;

export const canIFlags: readonly string[] = Object.keys(options);

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });
type Parsed = ReturnType<typeof parse>;

/** Runs `orch can-i`; gives the exit status. */
export async function runCanI(args: readonly string[], world: ExplainWorld): Promise<number> {
  try {
    const parsed = parse(args);
    const { values } = parsed;
    if (values.help === true) {
      world.print(help);
      return 0;
    }
    const { output = "text" } = values;
    if (output !== "text" && output !== "json") throw new Unusable("--output: must be text or json");
    const told = await answer(parsed, world);
    const short = told.allowed ? "yes" : "no";
    if (output === "json") world.print(JSON.stringify(told, undefined, 2));
    else world.print(values.explain === true ? canIText(told) : short);
    return told.allowed ? 0 : 1;
  } catch (error) {
    world.print(printable(`orch can-i: ${messageOf(error)}`));
    return 2;
  }
}

interface Verdict {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
  readonly evaluationError: string;
}

function answer({ values, positionals }: Parsed, world: ExplainWorld): Promise<CanI> {
  return inSession({ values, world, agent: "orch-can-i" }, async (session) => {
    const question = questionOf(session, positionals, values);
    const verdict = await ask(session, question);
    const { allowed, reason } = verdict;
    const plain = { question: questionText(question), allowed, reason, user: undefined, decisive: undefined };
    if (values.explain !== true) return { ...plain, others: [], notes: [] };
    const user = await whoAmI(session);
    const namespace = "path" in question ? "" : question.namespace;
    // Who may impersonate reads the roles by its own rights.
    const { as: _as, "as-group": _groups, ...own } = values;
    const isOther = values.as !== undefined;
    const rbac = isOther
      ? await inSession({ values: own, world, agent: "orch-can-i" }, (mine) => readRbac(mine, namespace))
      : await readRbac(session, namespace);
    const ways = user === undefined ? [] : whyMay(rbac.objects, user, question);
    const named = readReason(reason);
    const decisive = named && ways.find((way) => isReason(way, named));
    return {
      ...{ ...plain, user, decisive, others: ways.filter((way) => way !== decisive) },
      notes: notesOf({ session, verdict, user, rbac, ways: ways.length, isNamed: named !== undefined }),
    };
  });
}

/** @throws ApiError */
async function ask({ client, naming }: Session, question: AccessQuestion): Promise<Verdict> {
  const group = naming.group("authorization");
  const kind = "SelfSubjectAccessReview";
  const spec = "path" in question ? { nonResourceAttributes: question } : { resourceAttributes: question };
  const answered = await client.raw({
    method: "POST",
    path: pathOf({ group, version: "v1", resource: "selfsubjectaccessreviews" }),
    body: JSON.stringify({ apiVersion: `${group}/v1`, kind, spec }),
  });
  const { allowed, denied, reason, evaluationError } = fieldsOf(
    fieldsOf(readJson(answered.body.toString("utf8")))["status"],
  );
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return {
    ...{ allowed: allowed === true, denied: denied === true },
    ...{ reason: text(reason), evaluationError: text(evaluationError) },
  };
}

/** Undefined of a server that does not tell. */
async function whoAmI({ client, naming }: Session): Promise<CanI["user"]> {
  const group = naming.group("authentication");
  try {
    const { body } = await client.raw({
      method: "POST",
      path: pathOf({ group, version: "v1", resource: "selfsubjectreviews" }),
      body: JSON.stringify({ apiVersion: `${group}/v1`, kind: "SelfSubjectReview" }),
    });
    const { username, groups } = fieldsOf(fieldsOf(fieldsOf(readJson(body.toString("utf8")))["status"])["userInfo"]);
    if (typeof username !== "string") return undefined;
    return { name: username, groups: itemsOf(groups).filter((one) => typeof one === "string") };
  } catch (error) {
    if (error instanceof ApiError && (error.reason === "Forbidden" || error.reason === "NotFound")) return undefined;
    throw error;
  }
}

interface Told {
  readonly session: Session;
  readonly verdict: Verdict;
  readonly user: CanI["user"];
  readonly rbac: ReadRbac;
  readonly ways: number;
  /** The server's reason is one of RBAC. */
  readonly isNamed: boolean;
}

function notesOf({ session, verdict, user, rbac, ways, isNamed }: Told): readonly string[] {
  const { mastersGroup } = session.naming;
  const { allowed, denied, evaluationError } = verdict;
  const isMaster = user?.groups.includes(mastersGroup) === true;
  const all = [
    allowed && isMaster ? `members of the group ${mastersGroup} may do everything, whatever roles say` : "",
    allowed && !isMaster && !isNamed
      ? "the server names no role: another authorizer has decided (Node, ABAC, a webhook, paths that are open to all)"
      : "",
    !allowed && denied ? "an authorizer has refused it, so that nobody asked those after it" : "",
    !allowed && ways > 0
      ? "RBAC would allow it: an authorizer before it has refused, or the rules have changed just now"
      : "",
    !allowed && ways === 0 && user !== undefined && rbac.unread.length === 0 ? "no binding of roles allows it" : "",
    evaluationError === "" ? "" : `the server could not look at everything: ${evaluationError}`,
    ...rbac.unread.map((resource) => `you may not list ${resource}: what they allow is not told`),
  ];
  return all.filter((note) => note !== "");
}
