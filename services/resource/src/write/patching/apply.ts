import { parseCbor } from "@orch/codec/cbor/parse.js";
import type { Read } from "@orch/codec/decoded.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { showUnconverted } from "@orch/patch/apply/apply-configuration.js";
import { fieldProblems } from "@orch/render/body.js";
import { isObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { applyFields } from "../fields/field-management.js";
import type { PatchOptions } from "../options.js";
import type { Surface } from "../surface.js";
import type { Write } from "../write.js";
import { decodedOr, type Patching } from "./patch-body.js";

/** An apply configuration (rules: Server-side apply, 13): YAML, JSON or CBOR. @throws ApiError BadRequest */
export function readConfiguration(write: Write, surface: Surface, options: PatchOptions): Patching {
  const read = parsed(write);
  const { value } = read;
  if (!isObject(value)) throw badRequest("error decoding YAML: an apply configuration is an object");
  const { warnings, text } = fieldProblems(read, []);
  return (live) => {
    const applied = applyFields(write, surface, { live, configuration: value, options });
    if (options.fieldValidation === "Strict" && text !== "") {
      const inYaml = (read.repeatedLines ?? []).length === 0 ? "" : "error converting YAML to JSON: ";
      throw badRequest(`error strict decoding YAML: ${inYaml}${text}`);
    }
    const told = options.fieldValidation === "Ignore" ? [] : warnings;
    if (live !== undefined && applied === live) return { object: live, warnings: told };
    // Texts, quantities and times come in canonical form out of this; the types have been looked at by the merge.
    const { object } = decodedOr(surface.kind, applied, (why) => badRequest(`${showUnconverted(applied)}: ${why}`));
    return { object, warnings: told };
  };
}

function parsed({ request }: Write): Read {
  const { body } = request;
  const read = request.contentType.includes("cbor") ? parseCbor(body) : parseYaml(body);
  if (!read.ok) throw badRequest(`error decoding ${read.format === "cbor" ? "CBOR" : "YAML"}: ${read.problem}`);
  return read;
}
