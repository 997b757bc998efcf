import { t } from "../check/types.js";
import { optionalMacros } from "../syntax/macros.js";
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  none,
  noSuchOverload,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values/value.js";
import { global, type Library, member, type Run } from "./library.js";

const k = t.param("K");
const v = t.param("V");
const optional = t.optional(v);
const list = t.list(v);
const map = t.map(k, v);

/** Whether a value is what a field of its type holds before it is set. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Timestamp && value.seconds === -62_135_596_800 && value.nanos === 0;
}

const ofOptional =
  (read: (optional: Optional) => Value): Run =>
  ([x = null]) =>
    x instanceof Optional ? read(x) : noSuchOverload;

const contentOf = ({ value }: Optional): Value =>
  value === undefined ? new CelError("optional.none() dereference") : value;

/** `or` and `orValue` read their second operand only where it is needed: the compiler makes them. */
export const optionals: Library = {
  name: "optional",
  since: 28,
  macros: optionalMacros,
  types: [{ name: "optional_type", type: t.opaque("optional_type"), value: new TypeValue("optional_type") }],
  functions: [
    { name: "optional.of", overloads: [global("optional_of", [v], optional)], run: ([x = null]) => new Optional(x) },
    {
      name: "optional.ofNonZeroValue",
      overloads: [global("optional_ofNonZeroValue", [v], optional)],
      run: ([x = null]) => (isZero(x) ? none : new Optional(x)),
    },
    { name: "optional.none", overloads: [global("optional_none", [], optional)], run: () => none },
    {
      name: "value",
      overloads: [{ ...member("optional_value", [optional], v), run: ofOptional(contentOf) }],
    },
    {
      name: "hasValue",
      overloads: [
        { ...member("optional_hasValue", [optional], t.bool), run: ofOptional((x) => x.value !== undefined) },
      ],
    },
    { name: "or", overloads: [member("optional_or_optional", [optional, optional], optional)] },
    { name: "orValue", overloads: [member("optional_orValue_value", [optional, v], v)] },
    { name: "_?._", overloads: [global("select_optional_field", [t.dyn, t.string], optional)] },
    {
      name: "_[?_]",
      overloads: [
        global("list_optindex_optional_int", [list, t.int], optional),
        global("optional_list_optindex_optional_int", [t.optional(list), t.int], optional),
        global("map_optindex_optional_value", [map, k], optional),
        global("optional_map_optindex_optional_value", [t.optional(map), k], optional),
      ],
    },
    {
      name: "_[_]",
      overloads: [
        global("optional_list_index_int", [t.optional(list), t.int], optional),
        global("optional_map_index_value", [t.optional(map), k], optional),
      ],
    },
  ],
};
