import type { IncomingHttpHeaders } from 'node:http';

/** `name` or `name:port` of a `Host` field, in lower case, without a dot at the end of the name. */
interface Host {
  readonly name: string;
  readonly port: string | undefined;
}

function hostOf(field: string): Host {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*?)\.?(?::(\d*))?$/.exec(field.trim()) ?? [];
  return { name: name.toLowerCase(), port: port || undefined };
}

/** Host names that serve content of tokens, and nothing else. */
export class ContentHosts {
  readonly #given: () => readonly string[];

  constructor(given: () => readonly string[]) {
    this.#given = given;
  }

  get areUsed(): boolean {
    return this.#given().length > 0;
  }

  /** Tells whether a request names one of the hosts. Ports are not compared: behind a proxy, browsers send another one than ours. */
  has({ host }: IncomingHttpHeaders): boolean {
    if (!this.areUsed) return false;
    const { name } = hostOf(host ?? '');
    return this.#given().some((each) => hostOf(each).name === name);
  }

  /** Address at which content is to be requested instead, with the port of this request unless the configuration names one. */
  authority({ host }: IncomingHttpHeaders): string {
    const { name, port = hostOf(host ?? '').port } = hostOf(this.#given()[0] ?? '');
    return port === undefined ? name : `${name}:${port}`;
  }
}
