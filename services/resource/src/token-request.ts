import type { Kind } from "@orch/api/catalog.js";
import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject, ApiObject } from "@orch/api/object.js";
import { asVersion, setDefaults, validateVirtual } from "@orch/api/writes.js";
import type { BoundTo } from "@orch/auth/service-account/claims.js";
import type { Reference } from "@orch/auth/service-account/names.js";
import type { TokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import { type WriteOptions, writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, conflict, invalid, notFound } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import { readObject } from "./write/body.js";
import { rendererOf } from "./write/reply.js";
import { admitPosted } from "./write/review/admit-posted.js";
import { findStored } from "./write/storing/stored.js";
import { warned } from "./write/warned.js";
import { builtIn, resourceOf, timestamp, type Write } from "./write/write.js";

/** How tokens of service accounts are made for those who ask. */
export interface TokenSettings {
  /** First of `--service-account-issuer`. */
  readonly issuer: string;
  /** PEM of `--service-account-signing-key-file`. */
  readonly signingKeyPem: string;
  /** Whom a token is meant for that names nobody. */
  readonly apiAudiences: readonly string[];
  /** The longest that a token may be good for; 0 where there is no bound. */
  readonly maxSeconds: number;
  /** Tokens that pods mount by themselves are good for a year (`--service-account-extend-token-expiration`). */
  readonly extend: boolean;
}

export interface TokenService extends Pick<TokenSettings, "apiAudiences" | "maxSeconds" | "extend"> {
  readonly issuer: TokenIssuer;
}

/** What pods' own tokens ask for: by it they are known. */
export const podTokenSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

interface TokenRequest extends ApiObject {
  readonly spec?: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: BoundObjectReference;
  };
}

interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Issues a token of a service account: a POST to `serviceaccounts/<name>/token` (rules: Sub-resources). */
export async function requestToken(write: Write, tokens: TokenService): Promise<WriteReply> {
  const { deps, request } = write;
  const kind = builtIn(write, `${deps.naming.group("authentication")}/v1`, "TokenRequest");
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  const body = readObject(write, kind, options.fieldValidation);
  return warned(write, body.warnings, async () => {
    const { answer, warnings } = await issue(write, { kind, asked: body.object, options, tokens });
    const renderer = rendererOf({ ...write, kind, requested: kind, request: { ...request, subresource: "" } });
    return { code: 201, body: renderer.document(renderer.piece(answer).at(deps.now()), ""), warnings };
  });
}

interface Asked {
  /** TokenRequest. */
  readonly kind: Kind;
  readonly asked: AnyObject;
  readonly options: WriteOptions;
  readonly tokens: TokenService;
}

interface Issued {
  readonly answer: AnyObject;
  readonly warnings: readonly string[];
}

async function issue(write: Write, { kind, asked, options, tokens }: Asked): Promise<Issued> {
  const { deps, request } = write;
  checkPlace(kind, asked, write);
  await deps.namespaces.admitCreate(request.namespace, { resource: resourceOf(write.kind), name: request.name });
  const { uid = "" } = (await objectOf(write, write.kind, request.name)).metadata;
  const now = deps.now();
  const posted = { object: completed(kind, asked, { write, tokens, now }), dryRun: options.dryRun };
  const { object: whole, warnings } = await admitPosted(write, posted, (object) => {
    const errors = validateVirtual(kind, object);
    if (errors.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, "", errors);
  });
  const { spec = {} }: TokenRequest = whole;
  const binding = spec.boundObjectRef === undefined ? {} : await bindingOf(write, spec.boundObjectRef);
  const wanted = spec.expirationSeconds ?? 0;
  const seconds = tokens.maxSeconds === 0 ? wanted : Math.min(wanted, tokens.maxSeconds);
  const shortened = `requested expiration of ${wanted} seconds shortened to ${seconds} seconds`;
  const audiences = spec.audiences ?? [];
  const mounted = binding.bound?.kind === "Pod" && seconds === podTokenSeconds;
  const extended = tokens.extend && mounted && audiences.every((each) => tokens.apiAudiences.includes(each));
  // What is only tried hands out nothing that could be used.
  const token = options.dryRun
    ? ""
    : await tokens.issuer.issue({
        namespace: request.namespace,
        serviceAccount: { name: request.name, uid },
        ...binding,
        audiences,
        ...(extended ? { seconds: extendedSeconds, warnAfterSeconds: seconds } : { seconds }),
      });
  const expirationTimestamp = timestamp(now + seconds * 1000);
  const answer = { ...whole, spec: { ...spec, expirationSeconds: seconds }, status: { token, expirationTimestamp } };
  return { answer: asVersion(kind, answer), warnings: seconds === wanted ? warnings : [...warnings, shortened] };
}

/** A body names the account and the namespace of its path, or none. */
function checkPlace(kind: Kind, { metadata }: AnyObject, { request }: Write): void {
  const { name = "", namespace = "" } = metadata;
  if (namespace !== "" && namespace !== request.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (name === "" || name === request.name) return;
  throw invalid({ group: kind.group, kind: kind.kind }, request.name, [
    fieldError.invalid("metadata.name", name, "must match the service account name if specified"),
  ]);
}

/** With what it says nothing of; what only the server says is the server's. */
function completed(
  kind: Kind,
  asked: AnyObject,
  { write, tokens, now }: { readonly write: Write; readonly tokens: TokenService; readonly now: number },
): AnyObject {
  const { name, namespace } = write.request;
  const { uid: _uid, deletionTimestamp: _deletion, deletionGracePeriodSeconds: _grace, ...metadata } = asked.metadata;
  const { status: _status, ...rest } = asked;
  const defaulted: AnyObject & TokenRequest = setDefaults(kind, rest);
  const audiences = defaulted.spec?.audiences ?? [];
  return {
    ...defaulted,
    metadata: { ...metadata, name, namespace, creationTimestamp: timestamp(now) },
    spec: { ...defaulted.spec, audiences: audiences.length === 0 ? tokens.apiAudiences : audiences },
  };
}

interface Binding {
  readonly bound?: BoundTo;
  readonly node?: Reference;
}

/** The object that a token is to live as long as. @throws ApiError where it is not there, or not the one that is meant */
async function bindingOf(write: Write, wanted: BoundObjectReference): Promise<Binding> {
  const { group, version } = groupVersionOf(wanted.apiVersion ?? "");
  const { kind = "", name = "", uid: wantedUid = "" } = wanted;
  if (group !== "" || !isBindable(kind)) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const object = await objectOf(write, builtIn(write, "v1", kind), name);
  const node = kind === "Pod" ? await nodeOf(write, object) : undefined;
  const { uid = "" } = object.metadata;
  if (wantedUid !== "" && wantedUid !== uid) {
    const why =
      `the UID in the bound object reference (${wantedUid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated";
    throw conflict({ group, resource: kind }, name, why);
  }
  return { bound: { kind, name, uid }, ...(node === undefined ? {} : { node }) };
}

function isBindable(kind: string): kind is BoundTo["kind"] {
  return kind === "Pod" || kind === "Secret" || kind === "Node";
}

/** Of an apiVersion; of one that makes no sense nothing. */
function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = "", second, ...more] = apiVersion.split("/");
  if (more.length > 0) return { group: "", version: "" };
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

/** The node of a pod of this very account; without a uid where there is no such node any more. */
async function nodeOf(write: Write, { spec = {} }: Pod): Promise<Reference | undefined> {
  const account = write.request.name;
  if (spec.serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  const { nodeName: name = "" } = spec;
  if (name === "") return undefined;
  const node = await find(write, builtIn(write, "v1", "Node"), name);
  return { name, uid: node?.metadata.uid ?? "" };
}

async function objectOf(write: Write, kind: Kind, name: string): Promise<AnyObject> {
  const object = await find(write, kind, name);
  if (object === undefined) throw notFound(resourceOf(kind), name);
  return object;
}

/** Names come out of a body: none leads to the key of anything else. */
async function find(write: Write, kind: Kind, name: string): Promise<AnyObject | undefined> {
  if (name === "") throw badRequest("Name parameter required.");
  const problems = [
    ...[".", ".."].filter((bad) => name === bad).map((bad) => `may not be '${bad}'`),
    ...["/", "%"].filter((bad) => name.includes(bad)).map((bad) => `may not contain '${bad}'`),
  ];
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(";")}`);
  return findStored(write, kind, name);
}
