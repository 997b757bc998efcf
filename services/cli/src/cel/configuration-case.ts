import { parseAuthenticationConfiguration } from "@orch/auth/jwt/authentication-config.js";
import type { Got } from "@orch/cel/cases/run.js";
import type { Naming } from "@orch/naming/naming.js";

type Fields = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** A row of an authentication configuration: its errors, ordered by field. Undefined for rows of any other sort. */
export async function configurationCase(row: Fields, naming: Naming): Promise<Got | undefined> {
  const given = row["authn"];
  if (!isObject(given) || !isObject(given["config"])) return undefined;
  const head = { apiVersion: `${naming.group("apiserver.config")}/v1beta1`, kind: "AuthenticationConfiguration" };
  const parsed = await parseAuthenticationConfiguration(
    { ...head, ...given["config"] },
    { naming, serviceAccountIssuers: [] },
  );
  return parsed.ok ? {} : { create_errors: parsed.problems.toSorted() };
}
