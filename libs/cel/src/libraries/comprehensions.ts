import { t } from "../check/types.js";
import { bindingMacros, twoVariableMacros } from "../syntax/macros.js";
import { inserted } from "../values/collections.js";
import { CelError, MapValue, noSuchOverload } from "../values/value.js";
import { global, type Library } from "./library.js";

const k = t.param("K");
const v = t.param("V");
const map = t.map(k, v);

export const twoVariableComprehensions: Library = {
  name: "twoVarComprehensions",
  since: 32,
  macros: twoVariableMacros,
  functions: [
    {
      name: "cel.@mapInsert",
      overloads: [
        {
          ...global("@mapInsert_map_key_value", [map, k, v], map),
          run: ([into = null, key = null, value = null]) =>
            into instanceof MapValue ? inserted(into, key, value) : noSuchOverload,
        },
        {
          ...global("@mapInsert_map_map", [map, map], map),
          run: ([into = null, from = null]) => {
            if (!(into instanceof MapValue) || !(from instanceof MapValue)) return noSuchOverload;
            let all: MapValue = into;
            for (const key of from.keys()) {
              const next = inserted(all, key, from.find(key) ?? null);
              if (next instanceof CelError) return next;
              all = next;
            }
            return all;
          },
        },
      ],
    },
  ],
};

export const bindings: Library = { name: "bindings", since: 31, macros: bindingMacros, functions: [] };
