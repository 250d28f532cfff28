const MASK_BYTES = 4;

/**
 * Follows the frame headers of a byte stream (RFC 6455 §5.2): the library bounds messages, not the frames they are made of.
 * @returns takes the stream's chunks; `tooLong` is called once, as soon as a header announces more than `limit` bytes
 */
export function watchFrames(limit: number, tooLong: () => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(14);
  let read = 0;
  let payload = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length && payload <= limit; ) {
      if (payload > 0) {
        const skipped = Math.min(payload, chunk.length - at);
        payload -= skipped;
        at += skipped;
        continue;
      }
      header[read++] = chunk[at++] as number;
      const length = read < 2 ? 0 : header.readUInt8(1) & 0x7f;
      const extended = length < 126 ? 0 : length === 126 ? 2 : 8;
      const mask = header.readUInt8(1) & 0x80 ? MASK_BYTES : 0;
      if (read < 2 + extended + mask) continue;
      payload = length;
      if (extended === 2) payload = header.readUInt16BE(2);
      if (extended === 8) payload = Number(header.readBigUInt64BE(2));
      read = 0;
      if (payload > limit) tooLong();
    }
  };
}
