/** The beginning and the end of a stream of bytes, in bounded memory: enough to print it without its middle. */
export class CapturedOutput {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #size = 0;

  /** Keeps at most about `max_bytes`. */
  constructor(max_bytes: number) {
    this.#half = Math.ceil(max_bytes / 2);
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    const forHead = chunk.subarray(0, this.#half - this.#head.length);
    if (forHead.length > 0) this.#head = Buffer.concat([this.#head, forHead]);
    const rest = chunk.subarray(forHead.length);
    const joined = rest.length >= this.#half ? rest : Buffer.concat([this.#tail, rest]);
    this.#tail = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#half)));
  }

  /** All of it, or its beginning and end, together at most `max_bytes`, around a line that tells how much is left out. */
  text(max_bytes: number): string {
    if (this.#size <= max_bytes) return Buffer.concat([this.#head, this.#tail]).toString('utf8');
    const head = wholeStart(this.#head.subarray(0, Math.ceil(max_bytes / 2)));
    const half = Math.floor(max_bytes / 2);
    const tail = wholeEnd(this.#tail.subarray(this.#tail.length - half));
    const missing = this.#size - head.length - tail.length;
    return `${head.toString('utf8')}\n... [${missing} bytes left out] ...\n${tail.toString('utf8')}`;
  }
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** The bytes without an incomplete character at the end. */
function wholeStart(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && isContinuation(bytes[end - 1])) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const width = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const isCut = width > 1 && bytes.length - end + 1 < width;
  return isCut ? bytes.subarray(0, end - 1) : bytes;
}

/** The bytes without the rest of a character at the beginning. */
function wholeEnd(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/**
 * Standard output, then, unless standard error is empty, a marker line and standard error (clients.md §2.8). Beyond
 * `max_bytes` each loses its middle; one that takes less than half is kept whole.
 */
export function composeOutput(
  stdout: CapturedOutput,
  stderr: CapturedOutput,
  max_bytes: number,
): string {
  const half = Math.floor(max_bytes / 2);
  const forStdout = Math.min(stdout.size, Math.max(max_bytes - half, max_bytes - stderr.size));
  const text = stdout.text(forStdout);
  if (stderr.size === 0) return text;
  return `${withNewline(text)}--- STDERR ---\n${stderr.text(max_bytes - forStdout)}`;
}

/** The text with a line break at its end, unless it is empty. */
export const withNewline = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`;
