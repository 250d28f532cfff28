import type { TLSSocket } from 'node:tls';
import { ConfigurationFile, type Kernel } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { isBase, type Listener, listenerOf, type Obstacle, obstacleOf } from './address.ts';
import type { Settings } from './settings.ts';

/** Time after which a renewed certificate is noticed. */
const FRESH_MS = 60_000;

/** Address at which machines find this server: that of the configuration, else the one that they asked for. */
export interface Base {
  /** `https://fleet.example.net:2211`, and the path of a proxy. */
  readonly url: string;
  readonly pin: string | undefined;
}

export class Place {
  readonly #kernel: Kernel<Settings>;
  #running: string | undefined;
  #read: { readonly at: number; readonly listener: Promise<Listener> } | undefined;

  constructor(kernel: Kernel<Settings>) {
    this.#kernel = kernel;
  }

  listener(): Promise<Listener> {
    const now = this.#kernel.clock.monotonic();
    if (!this.#read || now - this.#read.at > FRESH_MS) {
      const listener = listenerOf(this.file, this.#running);
      this.#read = { at: now, listener };
      listener.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.listener;
  }

  /** Path of the configuration. */
  get file(): string {
    return this.#kernel.use(ConfigurationFile).path;
  }

  /** Notes the address at which the server listens, maybe not that of its file. */
  listening(url: string): void {
    this.#running = new URL(url).host;
    this.#read = undefined;
  }

  /** Forgets what was read: the configuration changed, and with it maybe the listener. */
  forget(): void {
    this.#running = undefined;
    this.#read = undefined;
  }

  /** Returns what keeps machines from this address. */
  async obstacle(url: string): Promise<Obstacle | undefined> {
    return obstacleOf(url, await this.listener());
  }

  /** Returns the base of a line that is made without a request; `url` is what the caller chose. */
  async chosen(url: string | undefined): Promise<Base> {
    const { config } = this.#kernel;
    const listener = await this.listener();
    const base = (url ?? (config.url || listener.url)).replace(/(?<!\/)\/+$/, '');
    return { url: base, pin: base.startsWith('https:') ? this.#pin(listener) : undefined };
  }

  /** Returns the base by which this client reached the server; undefined: its header `host` names no host. */
  async asked({ request, secure }: Exchange): Promise<Base | undefined> {
    const { config } = this.#kernel;
    const given = `http${secure ? 's' : ''}://${request.headers.host ?? ''}`;
    const url = config.url || given;
    if (!isBase(url)) return undefined;
    const isOwnTls = (request.socket as Partial<TLSSocket>).encrypted === true;
    const listener = isOwnTls ? await this.listener() : undefined;
    return { url, pin: url.startsWith('https:') ? this.#pin(listener) : undefined };
  }

  #pin(listener: Listener | undefined): string | undefined {
    const { pin } = this.#kernel.config;
    return pin === 'auto' ? listener?.pin : pin || undefined;
  }
}
