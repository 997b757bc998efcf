import { createClientOver, type Query, type RawRequest } from "@orch/client/client.js";
import type { Transport } from "@orch/client/http/transport.js";
import { pathOf } from "@orch/client/objects.js";
import { objectOf } from "@orch/codec/json.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import { type Member, markLabel } from "./set-object.js";
import type { GatheredWarnings } from "./warnings.js";

/** An object by its place. */
export type Place = Pick<Member, "group" | "version" | "resource" | "namespace" | "name">;

/** A state of an object. */
export interface Live {
  readonly object: JsonObject;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The value of the label that says of which set it is a member; "" for none. */
  readonly mark: string;
  /** Of the object as it is read. */
  readonly bytes: number;
}

export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** A dry run takes its namespace for one that is there. */
  readonly assumeNamespace?: boolean;
  /** The only version that may be changed; the object must not exist where absent. Of a dry run any will do. */
  readonly resourceVersion?: string | undefined;
}

export interface RemoveOptions {
  readonly dryRun: boolean;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What the writer of a set asks of single objects. Every method is a request of theirs. @throws ApiError */
export interface Asker {
  /** Undefined where there is none. */
  get(place: Place): Promise<Live | undefined>;
  apply(place: Place, object: JsonObject, options: ApplyOptions): Promise<Live>;
  remove(place: Place, options: RemoveOptions): Promise<void>;
  /** Takes the mark away. */
  release(place: Place, options: RemoveOptions & { readonly manager: string }): Promise<void>;
}

export interface AskerOptions {
  readonly userAgent: string;
  readonly clock: Clock;
  /** By when everything must be done, in milliseconds that only grow. */
  readonly deadline: number;
  readonly warnings: GatheredWarnings;
}

const busyMs = 500;

/** Requests that take the path of every other: the same authorization, admission, audit and flow control. */
export function createAsker(transport: Transport, { userAgent, clock, deadline, warnings }: AskerOptions): Asker {
  const client = createClientOver(transport, { userAgent });
  const send = async (request: RawRequest): Promise<Buffer> => {
    for (;;) {
      if (clock.monotonic() > deadline) throw new ApiError("Timeout", "the time of the request is over");
      try {
        const { headers, body } = await client.raw(request);
        warnings.add(headers["warning"]);
        return body;
      } catch (error) {
        if (!(error instanceof ApiError && error.reason === "TooManyRequests")) throw error;
        if (clock.monotonic() + busyMs > deadline) throw error;
        await sleep(clock, busyMs);
      }
    }
  };
  const path = ({ group = "", namespace = "", name, ...of }: Place): string =>
    pathOf({ ...of, group, ...(namespace === "" ? {} : { namespace }) }, name);
  const patch = (
    place: Place,
    body: object,
    more: { readonly type: string; readonly query: Query; readonly ifMatch: string },
  ) =>
    send({
      method: "PATCH",
      path: path(place),
      query: more.query,
      headers: { "content-type": more.type, ...(more.ifMatch === "" ? {} : { "if-match": more.ifMatch }) },
      body: JSON.stringify(body),
    });

  return {
    async get(place) {
      try {
        return liveOf(await send({ method: "GET", path: path(place) }));
      } catch (error) {
        if (error instanceof ApiError && error.reason === "NotFound") return undefined;
        throw error;
      }
    },
    async apply(place, object, { manager, force, dryRun, assumeNamespace = false, resourceVersion }) {
      const query = {
        ...{ fieldManager: manager, fieldValidation: "Strict", force },
        ...(dryRun ? { dryRun: "All" } : {}),
        ...(assumeNamespace ? { assumeNamespace: true } : {}),
      };
      const type = "application/apply-patch+yaml";
      if (dryRun || resourceVersion !== undefined)
        return liveOf(await patch(place, object, { type, query, ifMatch: dryRun ? "" : (resourceVersion ?? "") }));
      // No object has the version 0: it is created, or somebody else has been faster.
      const metadata = { ...metadataOf(object), resourceVersion: "0" };
      return liveOf(await patch(place, { ...object, metadata }, { type, query, ifMatch: "" }));
    },
    async remove(place, { dryRun, ...preconditions }) {
      const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions, propagationPolicy: "Background" };
      const all = dryRun ? { ...body, dryRun: ["All"] } : body;
      const headers = { "content-type": "application/json" };
      await send({ method: "DELETE", path: path(place), headers, body: JSON.stringify(all) });
    },
    async release(place, { manager, dryRun, uid, resourceVersion }) {
      const query = { fieldManager: manager, ...(dryRun ? { dryRun: "All" } : {}) };
      const metadata = { uid, labels: { [markLabel]: null } };
      await patch(place, { metadata }, { type: "application/merge-patch+json", query, ifMatch: resourceVersion });
    },
  };
}

interface Metadata {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Of what the server has sent. */
function metadataOf(object: JsonObject): Metadata {
  const { metadata = {} }: { metadata?: Metadata } = object;
  return metadata;
}

function liveOf(body: Buffer): Live {
  const object = objectOf(body);
  const { uid = "", resourceVersion = "", labels = {} } = metadataOf(object);
  return { object, uid, resourceVersion, mark: labels[markLabel] ?? "", bytes: body.length };
}
