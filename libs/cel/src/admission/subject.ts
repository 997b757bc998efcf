import type { Variables } from "../compile/frame.js";
import { dynamicValue } from "../schema/dynamic.js";
import { CelError, MapValue, type Value } from "../values/value.js";
import type { CompiledPolicy, PolicyExpression } from "./policy.js";

/** What the expressions of admission are about. Objects are decoded trees of JSON; null where there is none. */
export interface AdmissionSubject {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly namespace: unknown;
  /** Undefined of a policy without parameters. */
  readonly params?: unknown;
  /** `authorizer` and `authorizer.requestResource`; undefined where nobody may be asked. */
  readonly authorizer?: { readonly own: Value; readonly requestResource: Value } | undefined;
}

/** The variables of one run over the expressions of a policy, and what its own variables cost in it. */
export interface Activation {
  readonly read: Variables;
  /** Units that were spent on the policy's variables since this was asked last. */
  spent(): number;
}

export function activate(subject: AdmissionSubject, variables: CompiledPolicy["variables"]): Activation {
  const known = new Map<string, Value | undefined>([
    ["object", dynamicValue(subject.object)],
    ["oldObject", dynamicValue(subject.oldObject)],
    ["request", dynamicValue(subject.request)],
    ["namespaceObject", dynamicValue(subject.namespace)],
    ["params", subject.params === undefined ? undefined : dynamicValue(subject.params)],
    ["authorizer", subject.authorizer?.own],
    ["authorizer.requestResource", subject.authorizer?.requestResource],
  ]);
  const read: Variables = (name) => (name === "variables" ? composed : known.get(name));
  const composed = new PolicyVariables(new Map(variables.map(({ name, value }) => [name, value])), read);
  return { read, spent: () => composed.spent() };
}

/** The variables of a policy: each is evaluated when it is first asked for, and once. */
class PolicyVariables extends MapValue {
  private readonly values = new Map<string, Value>();
  private cost = 0;
  constructor(
    private readonly expressions: ReadonlyMap<string, PolicyExpression>,
    private readonly read: Variables,
  ) {
    super();
  }
  get size(): number {
    return this.expressions.size;
  }
  keys(): Iterable<Value> {
    return this.expressions.keys();
  }
  find(name: Value): Value | undefined {
    if (typeof name !== "string") return undefined;
    const known = this.values.get(name);
    if (known !== undefined) return known;
    const expression = this.expressions.get(name);
    if (expression === undefined) return undefined;
    const value = this.evaluated(name, expression);
    this.values.set(name, value);
    return value;
  }
  spent(): number {
    const { cost } = this;
    this.cost = 0;
    return cost;
  }
  private evaluated(name: string, expression: PolicyExpression): Value {
    const failed = (why: string, at = "evaluate"): CelError =>
      new CelError(`composited variable ${JSON.stringify(name)} fails to ${at}: ${why}`);
    if (expression.problem !== undefined) return failed(expression.problem, "compile");
    const outcome = expression.program.run(this.read);
    this.cost += outcome.cost;
    return outcome.ok ? outcome.value : failed(outcome.error);
  }
}
