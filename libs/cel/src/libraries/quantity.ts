import { t } from "../check/types.js";
import { exactly, scale } from "../cost/sizes.js";
import { toInt } from "../values/numbers.js";
import {
  addQuantities,
  approximately,
  compareDecimals,
  formatQuantity,
  integerOf,
  ofInteger,
  parseQuantity,
  type Quantity,
  quantitySign,
  subtractQuantities,
} from "../values/quantity.js";
import { CelError, Double, noNative, noSuchOverload, Opaque, type Value } from "../values/value.js";
import {
  type Estimate,
  global,
  type Library,
  type LibraryFunction,
  member,
  one,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";

export class QuantityValue extends Opaque {
  /** `computed`: a sum or a difference, which the reference does not take as the right operand of `==`. */
  constructor(
    readonly typeName: string,
    readonly quantity: Quantity,
    readonly computed = false,
  ) {
    super();
  }
  equals(other: Value): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.computed) return noSuchOverload;
    return compareDecimals(this.quantity, other.quantity) === 0;
  }
  override untyped(): Value {
    return noNative("*resource.Quantity", formatQuantity(this.quantity));
  }
}

export function quantityOf(domain: string, text: string): Value {
  const quantity = parseQuantity(text);
  return "problem" in quantity ? new CelError(quantity.problem) : new QuantityValue(`${domain}.Quantity`, quantity);
}

export const quantityText = (value: Value): string | undefined =>
  value instanceof QuantityValue ? formatQuantity(value.quantity) : undefined;

const { bool, double, int, string } = t;

const ofQuantity =
  (read: (quantity: Quantity) => Value): Run =>
  ([x = null]) =>
    x instanceof QuantityValue ? read(x.quantity) : noSuchOverload;

const ofTwo =
  (read: (a: Quantity, b: Quantity) => Value): Run =>
  ([x = null, y = null]) =>
    x instanceof QuantityValue && y instanceof QuantityValue ? read(x.quantity, y.quantity) : noSuchOverload;

const combined =
  (combine: (a: Quantity, b: Quantity) => Quantity | undefined): Run =>
  ([x = null, y = null]) => {
    const isNumber = typeof y === "number" || typeof y === "bigint";
    const other = y instanceof QuantityValue ? y.quantity : isNumber ? ofInteger(BigInt(y)) : undefined;
    if (!(x instanceof QuantityValue) || other === undefined) return noSuchOverload;
    const result = combine(x.quantity, other);
    return result === undefined
      ? new CelError("exponents of quantities are too far apart")
      : new QuantityValue(x.typeName, result, true);
  };

const estimateOne: Estimate = () => ({ cost: exactly(1) });
const estimateText: Estimate = ({ args: [x], sizeOf }) => x && { cost: scale(sizeOf(x), stringFactor) };

/** `signMember`: `q.sign()` compiles beside `sign(q)`, as the specification lists it. */
export function quantity(domain: string, { signMember }: { readonly signMember: boolean }): Library {
  const type = t.struct(`${domain}.Quantity`);
  const simple = (name: string, overloads: LibraryFunction["overloads"]): LibraryFunction => ({
    name,
    cost: one,
    estimate: estimateOne,
    overloads,
  });
  const sign = ofQuantity(quantitySign);
  const ordered = (name: string, id: string, result: typeof bool, read: (order: number) => Value): LibraryFunction =>
    simple(name, [{ ...member(id, [type, type], result), run: ofTwo((a, b) => read(compareDecimals(a, b))) }]);
  return {
    name: "quantity",
    since: 28,
    functions: [
      {
        name: "quantity",
        cost: traversal(0),
        estimate: estimateText,
        overloads: [
          {
            ...global("string_to_quantity", [string], type),
            run: ([x = null]) => (typeof x === "string" ? quantityOf(domain, x) : noSuchOverload),
          },
        ],
      },
      {
        name: "isQuantity",
        cost: traversal(0),
        estimate: estimateText,
        overloads: [
          {
            ...global("is_quantity_string", [string], bool),
            run: ([x = null]) => (typeof x === "string" ? !("problem" in parseQuantity(x)) : noSuchOverload),
          },
        ],
      },
      simple("sign", [
        { ...global("quantity_sign", [type], int), run: sign },
        ...(signMember ? [{ ...member("quantity_sign_member", [type], int), run: sign }] : []),
      ]),
      simple("isInteger", [
        { ...member("quantity_is_integer", [type], bool), run: ofQuantity((q) => integerOf(q) !== undefined) },
      ]),
      simple("asInteger", [
        {
          ...member("quantity_get_int", [type], int),
          run: ofQuantity((q) => {
            const value = integerOf(q);
            return value === undefined ? new CelError("cannot convert value to integer") : toInt(value);
          }),
        },
      ]),
      simple("asApproximateFloat", [
        { ...member("quantity_get_float", [type], double), run: ofQuantity((q) => new Double(approximately(q))) },
      ]),
      ordered("isGreaterThan", "quantity_is_greater_than", bool, (order) => order > 0),
      ordered("isLessThan", "quantity_is_less_than", bool, (order) => order < 0),
      ordered("compareTo", "quantity_compare_to", int, (order) => order),
      simple("add", [
        { ...member("quantity_add", [type, type], type), run: combined(addQuantities) },
        { ...member("quantity_add_int", [type, int], type), run: combined(addQuantities) },
      ]),
      simple("sub", [
        { ...member("quantity_sub", [type, type], type), run: combined(subtractQuantities) },
        { ...member("quantity_sub_int", [type, int], type), run: combined(subtractQuantities) },
      ]),
    ],
  };
}
