/** The bytes in memory that holds nothing else: a view keeps all of what it is cut from, and small buffers are cut from node's pool. */
export function ownMemory(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength === bytes.length ? bytes : ownCopy(bytes);
}

/** The same for bytes that are somebody else's: always a copy. */
export function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
