import { isRecord } from "@orch/client/objects.js";
import { printable } from "./session.js";

/** Characters of a value that a line shows. */
const longestValue = 200;

/** What a WriteExplanation says, for people to read. What another server may have left out is passed over. */
export function explanationText(document: unknown): string {
  const top = fieldsOf(document);
  const lines = [
    headline(top),
    authorizationText(fieldsOf(top["authorization"])),
    ...itemsOf(top["warnings"]).map((warning) => `warning   ${String(warning)}`),
    "",
    ...stagesLines(itemsOf(top["stages"]).map(fieldsOf)),
    ...ownerLines(top),
    ...resultLines(top),
  ];
  return printable(lines.join("\n"));
}

function headline({ request, metadata, object }: Fields): string {
  const { verb, resource, subresource, user, fieldManager } = fieldsOf(request);
  const { name, namespace } = { ...fieldsOf(metadata), ...fieldsOf(fieldsOf(object)["metadata"]) };
  const where = [namespace, name].filter((part) => part !== undefined).join("/");
  const part = subresource === undefined ? "" : `/${String(subresource)}`;
  const who = user === undefined ? "" : ` by ${String(fieldsOf(user)["name"])} as ${String(fieldManager)}`;
  return `${String(verb)} ${String(resource)}${part} ${where}${who}`;
}

function authorizationText({ allowed, reason, binding, role, subject }: Fields): string {
  if (allowed === false) return `forbidden ${String(reason)}`;
  if (binding === undefined) return `allowed   ${String(reason)}`;
  const [by, of, to] = [binding, role, subject].map((one) => referenceText(fieldsOf(one)));
  return `allowed   by ${by} of ${of} to ${to}`;
}

/** `RoleBinding shop/sellers` */
export function referenceText({ kind, name, namespace }: Fields): string {
  return `${String(kind)} ${namespace === undefined || namespace === "" ? "" : `${String(namespace)}/`}${String(name)}`;
}

/** Stages that change nothing and in which nobody was asked are one line together. */
function stagesLines(stages: readonly Fields[]): readonly string[] {
  const lines: string[] = [];
  let quiet: string[] = [];
  const flush = (): void => {
    if (quiet.length > 0) lines.push(`–         nothing in ${quiet.join(", ")}`);
    quiet = [];
  };
  for (const stage of stages) {
    if (isQuiet(stage)) quiet.push(String(stage["name"]));
    else {
      flush();
      lines.push(...stageLines(stage));
    }
  }
  flush();
  return lines;
}

const isQuiet = ({ asked, changes, changedFields, from }: Fields): boolean =>
  [asked, changes, changedFields, from].every((one) => one === undefined);

function stageLines(stage: Fields): readonly string[] {
  const { name, from, to, asked, moreAsked } = stage;
  const steps = itemsOf(asked).map(fieldsOf);
  const telling = steps.filter(({ outcome }) => outcome !== "unchanged" && outcome !== "allowed");
  const silent = steps.filter((step) => !telling.includes(step)).map(nameOf);
  const versions = from === undefined ? "" : `   ${String(from)} → ${String(to)}`;
  return [
    `${String(name).padEnd(9)} ${summary(stage)}${versions}`,
    ...(isAllTold(stage, telling) ? [] : changeLines(stage).map((line) => `  ${line}`)),
    ...telling.flatMap((step) => [`  ${stepText(step)}`, ...changeLines(step).map((line) => `    ${line}`)]),
    ...(silent.length === 0 ? [] : [`  asked, nothing to say: ${silent.join(", ")}`]),
    ...(moreAsked === true ? ["  and more were asked"] : []),
  ];
}

/** Whether those who were asked have told every field that the stage changed. */
function isAllTold(stage: Fields, steps: readonly Fields[]): boolean {
  const told = new Set(steps.flatMap((step) => itemsOf(step["changes"]).map((change) => fieldsOf(change)["path"])));
  return itemsOf(stage["changes"]).every((change) => told.has(fieldsOf(change)["path"]));
}

function summary({ changes, changedFields, moreChanges }: Fields): string {
  const count = typeof changedFields === "number" ? changedFields : itemsOf(changes).length;
  if (count === 0) return "–";
  return `${moreChanges === true ? "more than " : ""}${count} field${count === 1 ? "" : "s"}`;
}

function stepText(step: Fields): string {
  const { outcome, message } = step;
  const why = typeof message === "string" ? `: ${message}` : "";
  return `${nameOf(step)} ${outcome === "failedOpen" ? "failed, which is passed over" : String(outcome)}${why}`;
}

/** `webhook w.example.com of w`, `policy p with binding b` */
function nameOf({ type, name, binding, configuration, to }: Fields): string {
  const more = [
    binding === undefined ? "" : ` with binding ${String(binding)}`,
    configuration === undefined ? "" : ` of ${String(configuration)}`,
    to === undefined ? "" : ` to ${String(to)}`,
  ];
  return `${type === "plugin" ? "" : `${String(type)} `}${String(name)}${more.join("")}`;
}

function changeLines({ changes, valuesLeftOut }: Fields): readonly string[] {
  if (valuesLeftOut === true) return ["(fields are told to who may get the object)"];
  return itemsOf(changes).map((change) => changeText(fieldsOf(change)));
}

function changeText({ path, operation, before, after, valuesLeftOut }: Fields): string {
  const values = valuesLeftOut === true;
  switch (operation) {
    case "added":
      return `+ ${String(path)}${values ? "" : ` = ${valueText(after)}`}`;
    case "removed":
      return `- ${String(path)}${values ? "" : ` (was ${valueText(before)})`}`;
    default:
      return `~ ${String(path)}${values ? "" : `: ${valueText(before)} → ${valueText(after)}`}`;
  }
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** New objects belong to their writer: that is not told field by field. */
function ownerLines({ owners, moreOwners }: Fields): readonly string[] {
  const told = itemsOf(owners)
    .map(fieldsOf)
    .filter(({ outcome }) => outcome !== "new" && outcome !== "gone");
  if (told.length === 0) return [];
  const lines = told.map(
    ({ path, outcome, before, after }) =>
      `  ${String(path)}  ${ownersText(before)} → ${ownersText(after)}  ${String(outcome)}`,
  );
  return ["", "owners of fields", ...lines, ...(moreOwners === true ? ["  and more"] : [])];
}

function ownersText(owners: unknown): string {
  const names = itemsOf(owners).map((owner) => {
    const { manager, operation, subresource } = fieldsOf(owner);
    return `${String(manager)} (${String(operation)}${subresource === undefined ? "" : ` of ${String(subresource)}`})`;
  });
  return names.length === 0 ? "nobody" : names.join(", ");
}

function resultLines({ outcome, refusal }: Fields): readonly string[] {
  if (outcome !== "refused")
    return ["", `result    ${outcome === "unchanged" ? "nothing would change" : `would be ${String(outcome)}`}`];
  const { stage, by, status } = fieldsOf(refusal);
  const { message, code, details } = fieldsOf(status);
  const whom = by === undefined ? "" : ` by ${nameOf(fieldsOf(by))}`;
  const causes = itemsOf(fieldsOf(details)["causes"]).map((cause) => {
    const { field, message: why } = fieldsOf(cause);
    return `  ${field === undefined ? "" : `${String(field)}: `}${String(why)}`;
  });
  return [
    "",
    `result    refused in stage ${String(stage)}${whom} (${String(code)})`,
    `  ${String(message)}`,
    ...causes,
  ];
}

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
