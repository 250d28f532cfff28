import { type Command, RpcError, UserError } from '@svc/plugin-sdk';
import type { Obstacle } from '../address.ts';
import type { Place } from '../place.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

interface Made {
  readonly id: number;
  readonly expires_at: number;
  readonly line: string;
  readonly wget_line: string;
  readonly key: string;
  readonly obstacle: Obstacle | null;
}

/** Returns what to type, so that other machines reach the server. */
function toType({ kind, listens, address, name }: Obstacle, file: string): string {
  const open = listens.replace(/^.*:/, '0.0.0.0:');
  const start = `start it with "npm start -- --listen ${open}", or write ws_listener = "${open}" into ${file}`;
  if (kind === 'host')
    return `The server answers 421 to the name ${name}: add "${name}" to allowed_hosts in ${file}.`;
  if (kind === 'listener')
    return `The server listens on ${listens}, for this machine only: other machines reach ${name} through a proxy that runs here. Without one, ${start}.`;
  return `No other machine reaches the server at ${name}. For others ${start}; then: svc-server enrol --url ${address} (or the name of this machine, once allowed_hosts lists it).`;
}

/** `enrol`: the line for a machine on standard output, and what a person should know about it on standard error. */
export const enrolCommand = (place: Place): Command => ({
  name: 'enrol',
  summary: 'Print the line that brings a machine into the fleet.',
  options: {
    name: { type: 'string', description: 'Name of the machine.' },
    tag: { type: 'string', multiple: true, description: 'Tag of the machine; may be repeated.' },
    for: {
      type: 'string',
      value: 'TIME',
      description: 'How long the line works: 30m, 1h, 7d. Default: an hour.',
    },
    uses: { type: 'string', value: 'N', description: 'For how many machines. Default: one.' },
    url: { type: 'string', description: 'Address by which machines reach this server.' },
    wget: { type: 'boolean', description: 'For machines with wget and without curl.' },
  },
  async run({ call, system }, terminal, { values }) {
    const { name, tag, url, wget } = values;
    const params = {
      ...{ name, tags: tag, url },
      seconds: values['for'] === undefined ? undefined : secondsOf(String(values['for'])),
      uses: values['uses'] === undefined ? undefined : numberOf(String(values['uses'])),
    };
    const made = (await call('enrol_create', params, system).catch(asUserError)) as Made;
    terminal.print(wget ? made.wget_line : made.line);
    const until = new Date(made.expires_at).toISOString().slice(0, 16).replace('T', ' ');
    terminal.progress(`Code ${made.id} holds until ${until} UTC; enrol_revoke ends it.\n`);
    terminal.progress(
      `The machine takes only what the key ${made.key} has signed: compare it with what it says (svc-server signing-key checks it by hand).\n`,
    );
    if (isOpenWay(made.line)) terminal.progress(OPEN_WAY);
    if (made.obstacle) terminal.progress(`${toType(made.obstacle, place.file)}\n`);
  },
});

const OPEN_WAY = `
WARNING: the line goes over plain http://. Anyone on the way can read the token of the machine, and can put another
WARNING: installer with another key in its place, which runs as the user who pastes the line. Give the server TLS
WARNING: (docs/guide/tls-and-proxies.md) before machines come over a network that others use.

`;

/** Tells whether others may be on the way: within a machine there are none. */
const isOpenWay = (line: string): boolean =>
  /\shttp:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(line);

function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new UserError(`--for ${text}: write 30m, 1h or 7d`);
  return Number(count) * (UNITS[unit] ?? 1);
}

function numberOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UserError(`--uses ${text}: write a number`);
  return Number(text);
}

function asUserError(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  const detail = typeof error.data === 'string' ? `: ${error.data}` : '';
  throw new UserError(`${error.message}${detail}`, { cause: error });
}
