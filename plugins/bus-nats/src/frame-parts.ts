/** First byte of a part; a frame in one piece is JSON and begins with `{`. */
const PART = '#';
/** Bytes of incomplete frames at most; beyond, the oldest are given up. */
const MAX_OPEN = 64 * 1024 * 1024;

/** A frame as messages of at most `limit` bytes: in one piece, or as parts `#ID INDEX COUNT\n…`. */
export function split(frame: Buffer, id: string, limit: number): Buffer[] {
  if (frame.length <= limit) return [frame];
  const room = limit - Buffer.byteLength(`${PART}${id} 1000000 1000000\n`);
  const count = Math.ceil(frame.length / room);
  return Array.from({ length: count }, (_, index) =>
    Buffer.concat([
      Buffer.from(`${PART}${id} ${index} ${count}\n`),
      frame.subarray(index * room, (index + 1) * room),
    ]),
  );
}

interface Open {
  readonly parts: Buffer[];
  bytes: number;
}

/** Puts parts together. Parts of one frame come in order; those of several senders are mixed. */
export class Joiner {
  readonly #open = new Map<string, Open>();
  readonly #lost: () => void;
  #bytes = 0;

  /** `lost` is called when a frame can never be complete. */
  constructor(lost: () => void) {
    this.#lost = lost;
  }

  /** @returns the text of a frame that is complete now */
  add(message: Buffer): string | undefined {
    if (message[0] !== PART.charCodeAt(0)) return message.toString();
    const end = message.indexOf('\n');
    const head = /^#(\S{1,64}) (\d{1,7}) (\d{1,7})$/.exec(message.toString('latin1', 0, end));
    if (!head) return undefined;
    const [, id = '', index, count] = head;
    const open = this.#open.get(id) ?? { parts: [], bytes: 0 };
    if (open.parts.length !== Number(index)) {
      this.#drop(id);
      return undefined;
    }
    this.#add(id, open, message.subarray(end + 1));
    if (open.parts.length < Number(count)) return undefined;
    this.#open.delete(id);
    this.#bytes -= open.bytes;
    return Buffer.concat(open.parts).toString();
  }

  #add(id: string, open: Open, part: Buffer): void {
    this.#open.set(id, open);
    // A view would keep the memory of the whole packet.
    open.parts.push(Buffer.from(part));
    open.bytes += part.length;
    this.#bytes += part.length;
    for (const oldest of this.#open.keys()) {
      if (this.#bytes <= MAX_OPEN) break;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#open.get(id)?.bytes ?? 0;
    this.#open.delete(id);
    this.#lost();
  }
}
