import type { Peer } from '@svc/plugin-sdk/http';

/** Bytes on their way to one side before the other is read no further. */
const BOUND_BYTES = 1024 * 1024;
/** Bytes kept until the receiver comes: the first prompt, and what a busy shell writes until then. */
const BUFFERED_BYTES = 4 * 1024 * 1024;
/** Cost of a message in addition to its bytes: empty ones must not be free. */
const MESSAGE_BYTES = 256;

interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

/** One direction: messages in order, unchanged; the sender is read as fast as the receiver reads. */
export class Pipe {
  readonly #from: Peer;
  #to: Peer | undefined;
  #buffered: Message[] = [];
  /** Bytes buffered, or sent since the receiver's socket was empty. */
  #bytes = 0;
  #waiting = false;
  #ended = false;

  constructor(from: Peer) {
    this.#from = from;
    from.listen((data, binary) => this.#forward({ data, binary }));
  }

  /** Sends what was buffered, and from now on everything that comes. */
  connect(to: Peer): void {
    if (this.#ended) return;
    this.#to = to;
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const message of buffered) send(to, message);
    if (this.#bytes > 0) this.#drain(to);
  }

  /** Drops what comes from now on. The sender is still read, so that its close frame is noticed. */
  end(): void {
    this.#ended = true;
    this.#buffered = [];
    this.#from.resume();
  }

  #forward(message: Message): void {
    if (this.#ended) return;
    this.#bytes += message.data.length + MESSAGE_BYTES;
    if (!this.#to) {
      this.#buffered.push(message);
      if (this.#bytes > BUFFERED_BYTES) this.#from.pause();
      return;
    }
    send(this.#to, message);
    if (this.#bytes > BOUND_BYTES) this.#drain(this.#to);
  }

  #drain(to: Peer): void {
    this.#from.pause();
    if (this.#waiting) return;
    this.#waiting = true;
    const resume = () => {
      this.#waiting = false;
      this.#bytes = 0;
      this.#from.resume();
    };
    // A receiver whose socket closed ends the session, and the session ends this pipe.
    to.drained().then(resume, resume);
  }
}

function send(to: Peer, { data, binary }: Message): void {
  if (binary) to.send(data);
  else to.sendText(data);
}
