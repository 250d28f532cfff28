import { randomUUID } from 'node:crypto';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { BusConnection, BusFrame, BusLink } from '@svc/plugin-bus/api';
import { type NatsConfig, optionsOf } from './config.ts';
import { Joiner, split } from './frame-parts.ts';

/** One connection to a NATS: subject `svc-bus.CLUSTER.all`, and a second one for this server alone. */
export class Connection implements BusConnection {
  readonly #nats: NatsConnection;
  readonly #prefix: string;

  private constructor(nats: NatsConnection, cluster: string) {
    this.#nats = nats;
    this.#prefix = `svc-bus.${cluster}`;
  }

  /** @throws when no server of the list answers or takes the credentials */
  static async open(settings: NatsConfig, cluster: string, link: BusLink): Promise<Connection> {
    // The library costs memory, so only a server that uses NATS loads it.
    const { connect } = await import('@nats-io/transport-node');
    const nats = await connect(await optionsOf(settings));
    const connection = new Connection(nats, cluster);
    try {
      await connection.#listen(link);
      return connection;
    } catch (error) {
      void nats.close();
      throw error;
    }
  }

  async send(frames: readonly BusFrame[]): Promise<void> {
    const limit = this.#nats.info?.max_payload ?? 1024 * 1024;
    for (const { to, text } of frames) {
      const subject = this.#subjectOf(to);
      for (const part of split(Buffer.from(text), randomUUID(), limit)) {
        this.#nats.publish(subject, part);
      }
    }
    // NATS answers once it has taken what was sent before.
    await this.#nats.flush();
  }

  close(): Promise<void> {
    return this.#nats.close();
  }

  #subjectOf = (to: string | undefined): string =>
    to === undefined ? `${this.#prefix}.all` : `${this.#prefix}.to.${to}`;

  /** Resolves when NATS has taken the subscriptions. */
  async #listen(link: BusLink): Promise<void> {
    const joiner = new Joiner(() => link.lost());
    const callback = (error: Error | null, { data }: Msg): void => {
      if (error) {
        link.failed(error);
        return;
      }
      const { buffer, byteOffset, byteLength } = data;
      const text = joiner.add(Buffer.from(buffer, byteOffset, byteLength));
      if (text !== undefined) link.receive(text);
    };
    for (const to of [undefined, link.id]) {
      this.#nats.subscribe(this.#subjectOf(to), { callback });
    }
    void this.#nats
      .closed()
      .then((error) => link.failed(error ?? new Error('NATS closed the connection')));
    await this.#nats.flush();
  }
}
