import { randomInt } from "node:crypto";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { konnectivity as pb } from "../../generated/konnectivity.js";
import { type GrpcStream, openGrpcStream } from "./grpc-stream.js";
import { addressOf, type Staged, settled } from "./stage.js";

type Packet = pb.Packet.$Properties;
type ConnectId = NonNullable<pb.Data.$Properties["connectId"]>;
const { PacketType } = pb;

const path = "/ProxyService/Proxy";
/** Of what is written, in one packet: gRPC servers take 4 MiB by default. */
const maxDataBytes = 256 << 10;

/** Connections by a konnectivity server on a Unix socket, a tunnel for each: one that breaks breaks no other. */
export function dialThroughTunnel(socketPath: string): Staged {
  return async (to, { signal, reached }) => {
    const socket = await openSocket(socketPath, signal);
    reached();
    return dialOn(socket, addressOf(to), signal);
  };
}

async function openSocket(socketPath: string, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ path: socketPath });
  try {
    await settled<void>(signal, (resolve, reject) => {
      const up = (): void => resolve();
      socket.once("connect", up);
      socket.once("error", reject);
      return () => {
        socket.off("connect", up);
        socket.off("error", reject);
      };
    });
    return socket;
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    throw error;
  }
}

/** Who gets the packets of a tunnel: the dial first, then the connection. */
interface Receiver {
  packet(packet: Packet): void;
  closed(why: Error): void;
}

async function dialOn(socket: Socket, address: string, signal: AbortSignal): Promise<Duplex> {
  const random = randomInt(1, 2 ** 47);
  let receiver: Receiver = { packet: () => {}, closed: () => {} };
  const stream = openGrpcStream(socket, path, {
    message(bytes) {
      const packet = decoded(bytes);
      if (packet !== undefined) receiver.packet(packet);
    },
    closed: (why) => receiver.closed(why),
  });
  const send = (packet: Packet, sent?: (error?: Error | null) => void): void =>
    stream.send(pb.Packet.encode(packet).finish(), sent);
  try {
    const id = await settled<ConnectId>(signal, (resolve, reject) => {
      receiver = {
        packet({ type, dialResponse, closeDial }) {
          if (type === PacketType.DIAL_RSP && Number(dialResponse?.random ?? 0) === random) {
            const { error = "", connectId } = dialResponse ?? {};
            if (error !== "" && error !== null) reject(new Error(error));
            else if (connectId === undefined || connectId === null || Number(connectId) === 0) {
              reject(new Error("the proxy answered without a connection"));
            } else {
              // Whatever follows with the same turn is for the connection: it takes over at once.
              receiver = buffered();
              resolve(connectId);
            }
          } else if (type === PacketType.DIAL_CLS && Number(closeDial?.random ?? 0) === random) {
            reject(new Error("dial closed"));
          }
        },
        closed: reject,
      };
      send({ type: PacketType.DIAL_REQ, dialRequest: { protocol: "tcp", address, random } });
      return () => {};
    });
    const early = receiver;
    const connection = createConnection(id, { stream, send });
    receiver = connection.receiver;
    if (isBuffered(early)) early.replay(receiver);
    return connection.duplex;
  } catch (error) {
    receiver = { packet: () => {}, closed: () => {} };
    send({ type: PacketType.DIAL_CLS, closeDial: { random } });
    stream.close();
    throw error;
  }
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return pb.Packet.decode(bytes);
  } catch {
    return undefined; // of a kind that is not known: passed over, as every other
  }
}

interface Buffered extends Receiver {
  replay(to: Receiver): void;
}

const isBuffered = (receiver: Receiver): receiver is Buffered => "replay" in receiver;

/** Keeps what comes between the answer and who waits for it. */
function buffered(): Buffered {
  const packets: Packet[] = [];
  let end: Error | undefined;
  return {
    packet: (packet) => void packets.push(packet),
    closed(why) {
      end = why;
    },
    replay(to) {
      for (const packet of packets) to.packet(packet);
      if (end !== undefined) to.closed(end);
    },
  };
}

interface Tunnel {
  readonly stream: GrpcStream;
  readonly send: (packet: Packet, sent?: (error?: Error | null) => void) => void;
}

/** The protocol knows no half-closed connections: whoever has ended writing gets what is still under way. */
function createConnection(
  connectId: ConnectId,
  { stream, send }: Tunnel,
): { readonly duplex: Duplex; readonly receiver: Receiver } {
  let asked = false;
  let over = false;
  const askToClose = (): void => {
    if (asked || over) return;
    asked = true;
    send({ type: PacketType.CLOSE_REQ, closeRequest: { connectId } });
  };
  const duplex = new Duplex({
    read: () => stream.resume(),
    write(chunk: Buffer, _encoding, done) {
      const next = (start: number): void => {
        const data = chunk.subarray(start, start + maxDataBytes);
        const isLast = start + maxDataBytes >= chunk.length;
        send({ type: PacketType.DATA, data: { connectId, data } }, (error) => {
          if (error !== undefined && error !== null) done(error);
          else if (isLast) done();
          else next(start + maxDataBytes);
        });
      };
      next(0);
    },
    final(done) {
      askToClose();
      done();
    },
    destroy(error, done) {
      askToClose();
      stream.close();
      done(error);
    },
  });
  return {
    duplex,
    receiver: {
      packet({ type, data, closeResponse }) {
        if (over) return;
        if (type === PacketType.DATA && Number(data?.connectId ?? 0) === Number(connectId)) {
          const bytes = data?.data;
          if (bytes instanceof Uint8Array && bytes.length > 0 && !duplex.push(bytes)) stream.pause();
        } else if (type === PacketType.CLOSE_RSP && Number(closeResponse?.connectId ?? 0) === Number(connectId)) {
          over = true;
          duplex.push(null);
          duplex.end();
        }
      },
      closed(why) {
        if (over) return;
        over = true;
        if (asked) duplex.push(null);
        else duplex.destroy(why);
      },
    },
  };
}
