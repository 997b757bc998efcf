import { ApiError, type Status } from "@orch/status/api-error.js";
import { readJson } from "@orch/status/read-json.js";
import { rpc } from "../../generated/frames.js";
import { type Payload, rawPayload } from "../codecs/codec.js";
import { MalformedError } from "../wire.js";

/** The payloads of frames that are no message of a method: greetings and errors. */
export function helloPayload(version: number, message = ""): Payload {
  return rawPayload(rpc.v1.Hello.encode({ version, message }).finish());
}

export function readHello(payload: Buffer): { readonly version: number; readonly message: string } {
  try {
    const hello = rpc.v1.Hello.decode(payload);
    return { version: hello.version ?? 0, message: hello.message ?? "" };
  } catch (cause) {
    throw new MalformedError("a greeting could not be read", { cause });
  }
}

export function errorPayload(error: ApiError): Payload {
  return rawPayload(Buffer.from(JSON.stringify(error.toStatus())));
}

export function readError(payload: Buffer): ApiError {
  try {
    const status: Status = readJson(payload.toString());
    return ApiError.fromStatus(status);
  } catch (cause) {
    throw new MalformedError("an error could not be read", { cause });
  }
}
