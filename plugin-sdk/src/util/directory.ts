import type { TSchema } from 'typebox';
import type { Messaging } from '../bus.ts';
import { type Topic, topic } from '../topic.ts';
import { Type } from '../typebox.ts';

/** Entries of one message. */
const BATCH = 1_000;

/** `all`: the receiver forgets what the sender told before; `open` begins the list of all its entries. `ask`: tell me yours. */
interface Message<Open, Closed> {
  readonly all?: true;
  readonly open?: readonly Open[];
  readonly closed?: readonly Closed[];
  readonly ask?: true;
}

/** The topic of a `Directory`: entries as their server announces them, and what names an entry that is gone. */
export const directoryTopic = <O extends TSchema, C extends TSchema>(
  name: string,
  open: O,
  closed: C,
) =>
  topic(
    name,
    Type.Object({
      all: Type.Optional(Type.Literal(true)),
      open: Type.Optional(Type.Array(open)),
      closed: Type.Optional(Type.Array(closed)),
      ask: Type.Optional(Type.Literal(true)),
    }),
  );

/** An entry of another server. */
export interface DirectoryEntry<Open> {
  /** Its `Bus.id`. */
  readonly server: string;
  readonly entry: Open;
}

export interface DirectoryOptions<Open, Closed> {
  readonly messaging: Messaging;
  /** Made by `directoryTopic`. */
  readonly topic: Topic;
  /** Aborts when this server stops: the others forget its entries then. */
  readonly stopping: AbortSignal;
  readonly keyOf: (entry: Open | Closed) => string;
  /** The entries of this server. */
  readonly own: () => readonly Open[];
  /** Tells whether an announced entry replaces a known one; default: always. */
  readonly isNewer?: (entry: Open, server: string, known?: DirectoryEntry<Open>) => boolean;
  /** Another server announced an entry. */
  readonly opened: (entry: Open, server: string) => void;
}

/**
 * Directory of what each other server has: agents, terminals. Every server announces its entries, so that a lookup needs no
 * question. Lost messages are asked for again, and entries of a dead server are forgotten.
 */
export class Directory<Open, Closed = Open> {
  readonly #options: DirectoryOptions<Open, Closed>;
  readonly #known = new Map<string, DirectoryEntry<Open>>();

  constructor(options: DirectoryOptions<Open, Closed>) {
    this.#options = options;
    const { messaging, stopping } = options;
    messaging.subscribe(options.topic, (message, { id, own }) => {
      if (!own) this.#receive(id, message as Message<Open, Closed>);
    });
    messaging.bus.watch((event) => {
      if (event.kind === 'left') this.#forget(event.server.id);
      else if (event.kind === 'joined') this.#tellAll();
      else if (!event.direct) this.#ask(event.from);
    });
    stopping.addEventListener('abort', () => this.#publish({ all: true }), { once: true });
  }

  /** The entry of another server. */
  get(key: string): DirectoryEntry<Open> | undefined {
    return this.#known.get(key);
  }

  /** The entries of the other servers. */
  values(): Iterable<DirectoryEntry<Open>> {
    return this.#known.values();
  }

  /** Announces that this server has the entry now. */
  announce(entry: Open): void {
    this.#known.delete(this.#options.keyOf(entry));
    this.#publish({ open: [entry] });
  }

  /** Announces that this server does not have the entry any more. */
  withdraw(entry: Closed): void {
    // The message at the stop has told of all entries.
    if (!this.#options.stopping.aborted) this.#publish({ closed: [entry] });
  }

  /** Always with `publish`: only published messages keep their order among each other. */
  #publish(message: Message<Open, Closed>): void {
    this.#options.messaging.publish(this.#options.topic, message as never);
  }

  #tellAll(): void {
    if (this.#options.stopping.aborted) return;
    const open = this.#options.own();
    this.#publish({ all: true, open: open.slice(0, BATCH) });
    for (let at = BATCH; at < open.length; at += BATCH) {
      this.#publish({ open: open.slice(at, at + BATCH) });
    }
  }

  #ask(server: string | undefined): void {
    const { messaging, topic: asked } = this.#options;
    if (server === undefined) this.#publish({ ask: true });
    else messaging.bus.send(server, asked, { ask: true } as never);
  }

  #receive(server: string, { all, open, closed, ask }: Message<Open, Closed>): void {
    const { keyOf, isNewer, opened } = this.#options;
    if (all) this.#forget(server);
    for (const entry of open ?? []) {
      const key = keyOf(entry);
      if (isNewer && !isNewer(entry, server, this.#known.get(key))) continue;
      this.#known.set(key, { server, entry });
      opened(entry, server);
    }
    for (const entry of closed ?? []) {
      const key = keyOf(entry);
      if (this.#known.get(key)?.server === server) this.#known.delete(key);
    }
    if (ask) this.#tellAll();
  }

  #forget(server: string): void {
    for (const [key, known] of this.#known) if (known.server === server) this.#known.delete(key);
  }
}
