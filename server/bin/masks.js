/**
 * Clients mask what they send (RFC 6455 §5.3), and ws takes the mask off byte by byte, which is most of what it does with a
 * message. It asks `node:http` for quicker functions first, which later versions of Node have: where they are missing, these
 * go by four bytes.
 */

/** Bytes below which a view of words costs more than it saves. */
const SHORT = 32;

/** The mask as a word of this machine, whichever its order of bytes. */
const keyBytes = new Uint8Array(4);
const keyWord = new Int32Array(keyBytes.buffer);

/** Takes the mask off `bytes`, in place. */
export function unmask(bytes, mask) {
  const { length } = bytes;
  const lead = -bytes.byteOffset & 3;
  const count = length < SHORT ? 0 : (length - lead) >> 2;
  let at = 0;
  if (count > 0) {
    for (; at < lead; at++) bytes[at] ^= mask[at];
    for (let n = 0; n < 4; n++) keyBytes[n] = mask[(lead + n) & 3];
    const [word] = keyWord;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, count);
    for (let index = 0; index < count; index++) words[index] ^= word;
    at += count * 4;
  }
  for (; at < length; at++) bytes[at] ^= mask[at & 3];
}

/** Masks `source` into `output` from `offset` on. */
export function mask(source, key, output, offset, length) {
  const masked = output.subarray(offset, offset + length);
  masked.set(source.subarray(0, length));
  unmask(masked, key);
}

/** To be called before ws is loaded. */
export function quickMasks() {
  // Not by `import`, which would load the program behind `fetch` as well.
  const http = process.getBuiltinModule('node:http');
  http.websocketMask ??= mask;
  http.websocketUnmask ??= unmask;
}
