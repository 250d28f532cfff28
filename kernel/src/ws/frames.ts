/**
 * Follows the frame headers of a byte stream (RFC 6455 §5.2): the library bounds messages, not the frames they are made of.
 * @returns takes the stream's chunks; `tooLong` is called once, as soon as a header announces more than `limit` bytes
 */
export function watchFrames(limit: number, tooLong: () => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(14);
  let read = 0;
  let payload = 0;
  let over = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length && !over; ) {
      if (payload > 0) {
        const skipped = Math.min(payload, chunk.length - at);
        payload -= skipped;
        at += skipped;
        continue;
      }
      header[read++] = chunk[at++] as number;
      if (read < headerLength(header, read)) continue;
      payload = payloadLength(header);
      read = 0;
      if (payload <= limit) continue;
      over = true;
      tooLong();
    }
  };
}

const MASK_BYTES = 4;

/** Two bytes until the second one is there. */
function headerLength(header: Buffer, read: number): number {
  if (read < 2) return 2;
  const [, second = 0] = header;
  const length = second & 0x7f;
  const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
  return 2 + extended + (second & 0x80 ? MASK_BYTES : 0);
}

function payloadLength(header: Buffer): number {
  const [, second = 0] = header;
  const length = second & 0x7f;
  if (length === 127) return Number(header.readBigUInt64BE(2));
  return length === 126 ? header.readUInt16BE(2) : length;
}
