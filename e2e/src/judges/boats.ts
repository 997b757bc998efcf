/** Custom kinds as their authors write them, for clients that others wrote. */
export const seaGroup = "sea.example.com";

/** Boats: columns, a scale, a status, a selectable field, a list by keys, rules. */
export const boatsDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.${seaGroup}}
spec:
  group: ${seaGroup}
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList, shortNames: [bt], categories: [all, fleet]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Sails, type: integer, jsonPath: .spec.sails, description: How many sails she has.}
    - {name: Port, type: string, jsonPath: .spec.home.port}
    - {name: Rig, type: string, jsonPath: .spec.rig, priority: 1}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    selectableFields: [{jsonPath: .spec.home.port}]
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.sails, statusReplicasPath: .status.sails, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        description: A boat, and what is on her.
        required: [spec]
        properties:
          spec:
            type: object
            description: What she is to be.
            required: [home]
            x-kubernetes-validations:
            - rule: "!has(self.crew) || self.sails <= self.crew.size() * 2"
              messageExpression: "'too many sails for %d sailors'.format([self.crew.size()])"
            - {rule: "self.home.port == oldSelf.home.port", message: her home stays where it is, fieldPath: .home}
            properties:
              sails: {type: integer, minimum: 0, maximum: 10, default: 1, description: How many sails she has.}
              rig: {type: string, enum: [sloop, ketch], description: How they are rigged.}
              home:
                type: object
                description: Where she belongs.
                required: [port]
                properties:
                  port: {type: string, minLength: 2, description: The name of the port.}
                  berth: {x-kubernetes-int-or-string: true, description: Its number or name.}
              crew:
                type: array
                maxItems: 20
                description: Who sails her.
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, description: The sailor's name.}
                    rank: {type: string, default: hand, description: The sailor's rank.}
          status:
            type: object
            properties:
              sails: {type: integer}
              selector: {type: string}
              conditions:
                type: array
                items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;

export interface BoatParts {
  readonly sails?: number;
  readonly rig?: string;
  readonly port?: string;
  /** Further lines of the specification. */
  readonly more?: string;
}

/** Two sailors are on her. */
export function boat(name: string, { sails = 2, rig = "sloop", port = "Kiel", more = "" }: BoatParts = {}): string {
  return `apiVersion: ${seaGroup}/v1
kind: Boat
metadata: {name: ${name}, labels: {yard: north}}
spec:
  sails: ${sails}
  rig: ${rig}
  home: {port: ${port}, berth: 7}
  crew: [{name: eve}, {name: bob, rank: mate}]${more === "" ? "" : `\n  ${more}`}
`;
}

/** A small definition of one version. */
export function plainDefinition(plural: string, kind: string, rule = ""): string {
  const rules = rule === "" ? "" : `, x-kubernetes-validations: [{rule: "${rule}"}]`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${seaGroup}}
spec:
  group: ${seaGroup}
  scope: Namespaced
  names: {plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}, listKind: ${kind}List}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}${rules}}}}
`;
}
