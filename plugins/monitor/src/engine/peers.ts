import { type Kernel, Type, topic } from '@svc/plugin-sdk';

/** A server runs this plugin; `ask`: it wants to hear of the others that do. */
const MonitorServer = topic('monitor.server', Type.Object({ ask: Type.Boolean() }));

type Messages = Pick<Kernel, 'bus' | 'defer' | 'publish' | 'subscribe'>;

/** Servers that run this plugin, and have a share of the monitors: those that said so on the bus. */
export class Peers {
  readonly #kernel: Messages;
  readonly #changed: () => void;
  readonly #heard = new Set<string>();

  /** @param changed hears of servers that came or went */
  constructor(kernel: Messages, changed: () => void) {
    this.#kernel = kernel;
    this.#changed = changed;
    kernel.subscribe(MonitorServer, ({ ask }, { id, own }) => {
      if (own) return;
      if (ask) kernel.bus.send(id, MonitorServer, { ask: false });
      if (this.#heard.has(id)) return;
      this.#heard.add(id);
      changed();
    });
  }

  get id(): string {
    return this.#kernel.bus.id;
  }

  /** The other ones that are alive. */
  servers() {
    return this.#kernel.bus.servers().filter(({ id }) => this.#heard.has(id));
  }

  /** Tells the others, now and whenever one comes or may have missed it. */
  start(): void {
    const { bus, defer, publish } = this.#kernel;
    const tell = () => publish(MonitorServer, { ask: true });
    const stop = bus.watch((event) => {
      if (event.kind === 'left') this.#heard.delete(event.server.id);
      else tell();
      this.#changed();
    });
    defer('servers of monitors', stop);
    tell();
  }
}
