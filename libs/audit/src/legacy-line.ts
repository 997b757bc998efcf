import type { AuditEvent } from "./event.js";

/** An event in the format `legacy`: one line of words for a person, without bodies and without the line's end. */
export function legacyLine(event: AuditEvent): string {
  const { user = {}, impersonatedUser, objectRef, responseStatus, sourceIPs } = event;
  const { username = "" } = user;
  const fields: readonly (readonly [string, string])[] = [
    ["id", event.auditID ?? ""],
    ["stage", event.stage ?? ""],
    ["ip", sourceIPs?.[0] ?? "<unknown>"],
    ["method", event.verb ?? ""],
    ["user", username === "" ? "<none>" : username],
    ["groups", username === "" ? "<none>" : listText(user.groups, "<none>")],
    ["as", impersonatedUser === undefined ? "<self>" : (impersonatedUser.username ?? "")],
    ["asgroups", listText(impersonatedUser?.groups, "<lookup>")],
    ["user-agent", event.userAgent ?? ""],
    ["namespace", objectRef?.namespace || "<none>"],
    ["uri", event.requestURI ?? ""],
    ["response", responseStatus === undefined ? "<deferred>" : String(responseStatus.code ?? 0)],
  ];
  const said = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${event.requestReceivedTimestamp ?? ""} AUDIT: ${said.join(" ")}`;
}

function listText(list: readonly string[] | undefined, otherwise: string): string {
  return list === undefined || list.length === 0 ? otherwise : list.map((one) => JSON.stringify(one)).join(",");
}
