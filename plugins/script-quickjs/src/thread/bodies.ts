/** Bytes of one piece of a body that a script reads as a stream. */
const PIECE = 65_536;

interface Ready {
  /** JSON text. */
  readonly text: string;
  readonly bytes?: Uint8Array;
}

/** Bodies that are held outside of the script's heap for the time of a run. */
export class Bodies {
  /** Id of the request's own body. */
  static readonly REQUEST = 0;
  readonly #held = new Map<number, Uint8Array>();

  put(id: number, bytes: Uint8Array): void {
    this.#held.set(id, bytes);
  }

  whole(id: number): Uint8Array | undefined {
    return this.#held.get(id);
  }

  /** @returns whether it was held */
  release(id: number): boolean {
    return this.#held.delete(id);
  }

  clear(): void {
    this.#held.clear();
  }

  /** Answers an op that needs no other thread; undefined: it is for the main thread. */
  answer(
    kind: string,
    text: string,
    bytes: Uint8Array | undefined,
  ): Ready | Promise<Ready> | undefined {
    const given: unknown = JSON.parse(text);
    // A script can replace the built-ins behind its JSON: no value here is sure to have its shape.
    const [first, second] = (Array.isArray(given) ? given : []) as [unknown, number];
    if (kind === 'form')
      return formOf(String(first), bytes ?? this.#held.get(second) ?? new Uint8Array());
    if (kind === 'pull') return this.#held.has(given as number) ? { text: 'null' } : undefined;
    if (kind !== 'chunk') return undefined;
    const [id, at] = [first as number, second];
    const whole = this.#held.get(id);
    if (!whole) return undefined;
    const piece = whole.slice(at, at + PIECE);
    return piece.length === 0 ? { text: 'null' } : { text: String(piece.length), bytes: piece };
  }
}

/** `[name, text]` and `[name, size, file name, type]` of a form in either encoding; the files' bytes in this order. */
async function formOf(type: string, bytes: Uint8Array): Promise<Ready> {
  const form = await new Response(bytes as never, { headers: { 'content-type': type } }).formData();
  const entries: unknown[] = [];
  const files: Buffer[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') entries.push([name, value]);
    else {
      const content = Buffer.from(await value.arrayBuffer());
      files.push(content);
      entries.push([name, content.length, value.name, value.type]);
    }
  }
  return { text: JSON.stringify(entries), bytes: Buffer.concat(files) };
}
