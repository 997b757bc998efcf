import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { sameMeaning } from "../shared/same-meaning.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import { validateConditions } from "./conditions.js";
import { exemptName, mandatoryLevels } from "./mandatory.js";
import type { Exempt, LevelSpec, Limited, PriorityLevelConfiguration, Queuing } from "./types.js";

const defaultShares = 30;
const defaultQueuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const maxQueues = 10_000_000;
const maxHashBits = 60;
const types = ["Exempt", "Limited"];
const responses = ["Queue", "Reject"];

/** Says in v1beta3 that 0 shares are meant, which it cannot tell from none given. */
export function zeroSharesKey(naming: Naming): string {
  return `${naming.group("flowcontrol")}/v1beta3-preserve-zero-concurrency-shares`;
}

export const priorityLevel = behavior<PriorityLevelConfiguration>(() => ({
  setDefaults: (object) => {
    const { limited, exempt } = object.spec ?? {};
    return {
      ...object,
      spec: {
        ...object.spec,
        ...(limited === undefined ? {} : { limited: limitedWithDefaults(limited) }),
        ...(exempt === undefined
          ? {}
          : {
              exempt: {
                ...exempt,
                nominalConcurrencyShares: exempt.nominalConcurrencyShares ?? 0,
                lendablePercent: exempt.lendablePercent ?? 0,
              },
            }),
      },
    };
  },
  validate: ({ metadata: { name = "" }, spec = {}, status }) => [
    ...validateSpec(spec, name),
    ...validateMandatory(spec, name),
    ...validateConditions(status?.conditions),
  ],
  validateRequest: sharesNamed("nominalConcurrencyShares"),
  parts: {
    status: {
      resets: allButStatus,
      prepare: statusOnly,
      validate: ({ status }) => validateConditions(status?.conditions),
    },
  },
}));

/** v1beta3: shares that are not given and 0 are one, but for an annotation. */
export const priorityLevelV1beta3 = behavior<PriorityLevelConfiguration>((naming) => {
  const key = zeroSharesKey(naming);
  return {
    setDefaults: (object) => {
      const { limited } = object.spec ?? {};
      if (limited === undefined || object.metadata.annotations?.[key] !== undefined) return object;
      const nominalConcurrencyShares = orElse(limited.nominalConcurrencyShares, defaultShares);
      return { ...object, spec: { ...object.spec, limited: { ...limited, nominalConcurrencyShares } } };
    },
    validateRequest: sharesNamed("nominalConcurrencyShares"),
  };
});

/** v1beta2 and before: shares have another name, and 0 is none. */
export const priorityLevelOld = behavior<PriorityLevelConfiguration>(() => ({
  setDefaults: (object) => {
    const { limited } = object.spec ?? {};
    if (limited === undefined) return object;
    const assuredConcurrencyShares = orElse(limited.assuredConcurrencyShares, defaultShares);
    return { ...object, spec: { ...object.spec, limited: { ...limited, assuredConcurrencyShares } } };
  },
  validateRequest: sharesNamed("assuredConcurrencyShares"),
}));

/** A number that is neither absent nor 0. */
function orElse(value: number | undefined, fallback: number): number {
  return value === undefined || value === 0 ? fallback : value;
}

function limitedWithDefaults(limited: Limited): Limited {
  const queuing = limited.limitResponse?.queuing;
  return {
    ...limited,
    nominalConcurrencyShares: limited.nominalConcurrencyShares ?? defaultShares,
    lendablePercent: limited.lendablePercent ?? 0,
    ...(queuing === undefined
      ? {}
      : {
          limitResponse: {
            ...limited.limitResponse,
            queuing: {
              queues: orElse(queuing.queues, defaultQueuing.queues),
              handSize: orElse(queuing.handSize, defaultQueuing.handSize),
              queueLengthLimit: orElse(queuing.queueLengthLimit, defaultQueuing.queueLengthLimit),
            },
          },
        }),
  };
}

/** Errors name the shares as the version of the request does. */
function sharesNamed(name: string): (object: PriorityLevelConfiguration) => FieldError[] {
  return ({ spec }) => {
    const shares = spec?.limited?.nominalConcurrencyShares ?? 0;
    return shares < 0 ? [fieldError.invalid(`spec.limited.${name}`, shares, "must be a non-negative integer")] : [];
  };
}

function validateSpec({ type = "", limited, exempt }: LevelSpec, name: string): FieldError[] {
  const misplaced =
    (name === exemptName) === (type === "Exempt")
      ? []
      : [fieldError.invalid("spec.type", type, "type must be 'Exempt' if and only if name is 'exempt'")];
  switch (type) {
    case "Exempt":
      return [
        ...misplaced,
        ...(limited === undefined
          ? []
          : [fieldError.forbidden("spec.limited", "must be nil if the type is not Limited")]),
        ...(exempt === undefined ? [] : validateExempt(exempt, "spec.exempt")),
      ];
    case "Limited":
      return [
        ...misplaced,
        ...(exempt === undefined ? [] : [fieldError.forbidden("spec.exempt", "must be nil if the type is Limited")]),
        ...(limited === undefined
          ? [fieldError.required("spec.limited", "must not be empty when type is Limited")]
          : validateLimited(limited, "spec.limited")),
      ];
    default:
      return [...misplaced, fieldError.notSupported("spec.type", type, types)];
  }
}

/** Of `exempt` an administrator may change what it lends. */
function validateMandatory(spec: LevelSpec, name: string): FieldError[] {
  const fixed = mandatoryLevels.get(name);
  if (fixed === undefined) return [];
  if (name !== exemptName) {
    return sameMeaning(spec, fixed)
      ? []
      : [fieldError.invalid("spec", spec, `spec of '${name}' must equal the fixed value`)];
  }
  if (sameMeaning({ ...spec, exempt: undefined }, { ...fixed, exempt: undefined })) return [];
  const detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
  return [fieldError.invalid("spec", spec, detail)];
}

function validateExempt({ nominalConcurrencyShares = 0, lendablePercent }: Exempt, at: string): FieldError[] {
  return [
    ...(nominalConcurrencyShares < 0
      ? [
          fieldError.invalid(
            `${at}.nominalConcurrencyShares`,
            nominalConcurrencyShares,
            "must be a non-negative integer",
          ),
        ]
      : []),
    ...validateLendable(lendablePercent, at),
  ];
}

function validateLendable(percent: number | undefined, at: string): FieldError[] {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [fieldError.invalid(`${at}.lendablePercent`, percent, "must be between 0 and 100, inclusive")];
}

function validateLimited(limited: Limited, at: string): FieldError[] {
  const { borrowingLimitPercent = 0, limitResponse = {} } = limited;
  const { type = "", queuing } = limitResponse;
  return [
    ...(responses.includes(type) ? [] : [fieldError.notSupported(`${at}.limitResponse.type`, type, responses)]),
    ...validateResponse(type, queuing, `${at}.limitResponse.queuing`),
    ...validateLendable(limited.lendablePercent, at),
    ...(borrowingLimitPercent < 0
      ? [
          fieldError.invalid(
            `${at}.borrowingLimitPercent`,
            borrowingLimitPercent,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
  ];
}

function validateResponse(type: string, queuing: Queuing | undefined, at: string): FieldError[] {
  if (type === "Reject" && queuing !== undefined) {
    return [fieldError.forbidden(at, "must be nil if limited.limitResponse.type is not Limited")];
  }
  if (type !== "Queue") return [];
  if (queuing === undefined) {
    return [fieldError.required(at, "must not be empty if limited.limitResponse.type is Limited")];
  }
  return validateQueuing(queuing, at);
}

function validateQueuing({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing, at: string): FieldError[] {
  const positive = "must be positive";
  return [
    ...(queueLengthLimit <= 0 ? [fieldError.invalid(`${at}.queueLengthLimit`, queueLengthLimit, positive)] : []),
    ...(queues <= 0 ? [fieldError.invalid(`${at}.queues`, queues, positive)] : []),
    ...(queues > maxQueues
      ? [fieldError.invalid(`${at}.queues`, queues, `must not be greater than ${maxQueues}`)]
      : []),
    ...handProblems(queues, handSize).map((problem) => fieldError.invalid(`${at}.handSize`, handSize, problem)),
  ];
}

/** A hand is dealt from the bits of one hash, so it must not ask for more of them than there are. */
function handProblems(queues: number, handSize: number): readonly string[] {
  if (handSize <= 0) return ["must be positive"];
  if (handSize > queues) return [`should not be greater than queues (${queues})`];
  const bits = Math.ceil(Math.log2(queues) * handSize);
  if (bits <= maxHashBits) return [];
  return [
    `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`,
  ];
}
