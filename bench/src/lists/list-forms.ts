/** A form in which a list is asked for. */
export interface ListForm {
  readonly name: string;
  readonly accept: string;
  readonly query?: string;
}

const table = "application/json;as=Table;g=meta.orch;v=v1";
const metadata = "as=PartialObjectMetadataList;g=meta.orch;v=v1";

/** JSON first: the others are measured by it. */
export const listForms: readonly ListForm[] = [
  { name: "JSON", accept: "application/json" },
  { name: "Protobuf", accept: "application/vnd.orch.protobuf" },
  { name: "CBOR", accept: "application/cbor" },
  { name: "YAML", accept: "application/yaml" },
  { name: "metadata", accept: `application/json;${metadata}` },
  { name: "Protobuf metadata", accept: `application/vnd.orch.protobuf;${metadata}` },
  { name: "Table", accept: table },
  { name: "whole Table", accept: table, query: "?includeObject=Object" },
];
