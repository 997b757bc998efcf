import { chmod, rm } from "node:fs/promises";
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition, status } from "@grpc/grpc-js";
import { messageOf } from "@orch/status/message-of.js";
import { v1beta1, v2 } from "../../generated/kms_plugin.js";
import { annotationsOf, type DecryptRequest, type Encrypted, type PluginStatus } from "./methods.js";

/** What a plugin answers; what it throws is told to who asked. */
export interface PluginAnswers {
  readonly v2?: {
    status(): PluginStatus | Promise<PluginStatus>;
    encrypt(plaintext: Buffer, uid: string): Encrypted | Promise<Encrypted>;
    decrypt(request: DecryptRequest): Buffer | Promise<Buffer>;
  };
  readonly v1?: {
    version(): string;
    encrypt(plain: Buffer): Buffer | Promise<Buffer>;
    decrypt(cipher: Buffer): Buffer | Promise<Buffer>;
  };
}

/** Serves a plugin on a socket that only its user may open; a socket that an earlier one left is taken away. */
export async function servePlugin(
  socketPath: string,
  answers: PluginAnswers,
): Promise<{ stop(): Promise<void>; kill(): void }> {
  const server = new Server();
  const add = (service: string, handlers: Handlers): void =>
    server.addService(definitionOf(service, Object.keys(handlers)), handlers);
  if (answers.v2 !== undefined) add("v2", handlers2(answers.v2));
  if (answers.v1 !== undefined) add("v1beta1", handlers1(answers.v1));
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  await chmod(socketPath, 0o600);
  return {
    stop: () => new Promise((resolve) => server.tryShutdown(() => resolve())),
    kill: () => server.forceShutdown(),
  };
}

type Handlers = Readonly<Record<string, handleUnaryCall<Buffer, Uint8Array>>>;

/** Messages are encoded and decoded by the handlers: gRPC sees bytes. */
function definitionOf(service: string, methods: readonly string[]): ServiceDefinition {
  const same = (bytes: Buffer): Buffer => bytes;
  return Object.fromEntries(
    methods.map((name) => [
      name,
      {
        path: `/${service}.KeyManagementService/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
        responseDeserialize: same,
      },
    ]),
  );
}

function answering(answer: (request: Buffer) => Uint8Array | Promise<Uint8Array>): handleUnaryCall<Buffer, Uint8Array> {
  return ({ request }, respond) => {
    Promise.resolve()
      .then(() => answer(request))
      .then(
        (bytes) => respond(null, bytes),
        (error: unknown) => respond({ code: status.UNKNOWN, details: messageOf(error) }),
      );
  };
}

const own = (bytes: Uint8Array | null | undefined): Buffer => Buffer.from(bytes ?? []);

const handlers2 = (plugin: NonNullable<PluginAnswers["v2"]>): Handlers => ({
  Status: answering(async () => v2.StatusResponse.encode(await plugin.status()).finish()),
  Encrypt: answering(async (request) => {
    const { plaintext, uid } = v2.EncryptRequest.decode(request);
    const { annotations, ...rest } = await plugin.encrypt(own(plaintext), uid ?? "");
    return v2.EncryptResponse.encode({ ...rest, annotations: { ...annotations } }).finish();
  }),
  Decrypt: answering(async (request) => {
    const { ciphertext, uid, keyId, annotations } = v2.DecryptRequest.decode(request);
    const plaintext = await plugin.decrypt({
      ciphertext: own(ciphertext),
      uid: uid ?? "",
      keyId: keyId ?? "",
      annotations: annotationsOf(annotations),
    });
    return v2.DecryptResponse.encode({ plaintext }).finish();
  }),
});

const handlers1 = (plugin: NonNullable<PluginAnswers["v1"]>): Handlers => ({
  Version: answering(async () => {
    const runtime = { runtimeName: "plugin", runtimeVersion: "1" };
    return v1beta1.VersionResponse.encode({ version: plugin.version(), ...runtime }).finish();
  }),
  Encrypt: answering(async (request) => {
    const cipher = await plugin.encrypt(own(v1beta1.EncryptRequest.decode(request).plain));
    return v1beta1.EncryptResponse.encode({ cipher }).finish();
  }),
  Decrypt: answering(async (request) => {
    const plain = await plugin.decrypt(own(v1beta1.DecryptRequest.decode(request).cipher));
    return v1beta1.DecryptResponse.encode({ plain }).finish();
  }),
});
