import type { Measurement } from '../measurement.ts';
import type { DomainSpec } from '../types.ts';
import { checkHttp } from './http.ts';

const DAY_MS = 86_400_000;
const REDIRECTS = 3;
const MOST_BYTES = 65_536;
const MOST_STATUS = 20;

/** Members of an answer that are looked at; a registry may send anything in their place. */
interface Domain {
  readonly events?: unknown;
  readonly entities?: unknown;
  readonly status?: unknown;
}

/**
 * Asks the registry of a domain when it ends (RDAP, RFC 9082 §3.1.3 and RFC 9083 §5.3). Registries answer a limited number of
 * questions: whatever is no answer about the domain says nothing about it.
 */
export async function checkDomain({ name }: DomainSpec, measured: Measurement): Promise<void> {
  const { clock, network, values } = measured;
  measured.isUnknown = true;
  if (!network.registry) throw new Error('this place asks no registries of domains');
  measured.waitsFor = 'list of the registries';
  const base = await network.registry(name);
  measured.waitsFor = 'answer of the registry';
  const asked: Measurement = { ...measured, values: {} };
  await checkHttp(
    {
      ...{ kind: 'http', url: new URL(`domain/${name}`, base).href, method: 'GET' },
      headers: [['accept', 'application/rdap+json, application/json']],
      ...{ follow: REDIRECTS, ignore_tls: false, max_bytes: MOST_BYTES },
    },
    asked,
  );
  if (asked.code === 404) {
    measured.isUnknown = false;
    throw new Error('the registry knows no such domain');
  }
  if (asked.code !== 200) throw new Error(`the registry answered with status ${asked.code}`);
  const domain = asked.values['json'] as Domain | undefined;
  if (!domain) throw new Error('the answer of the registry cannot be read');
  const end = endOf(domain);
  if (end === undefined) throw new Error('the registry does not tell when the domain ends');
  measured.isUnknown = false;
  const days = (end - clock.now()) / DAY_MS;
  values['days_left'] = Math.round(days * 100) / 100;
  values['registrar'] = registrarOf(domain) ?? '';
  values['status'] = listOf(domain.status).slice(0, MOST_STATUS).map(String);
  measured.summary = endText(days, end);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objects = (value: unknown): readonly Record<string, unknown>[] =>
  listOf(value).filter((one): one is Record<string, unknown> => !!one && typeof one === 'object');

function endOf({ events }: Domain): number | undefined {
  const event = objects(events).find(({ eventAction }) => eventAction === 'expiration');
  const at = Date.parse(String(event?.['eventDate']));
  return Number.isNaN(at) ? undefined : at;
}

/** Returns the full name (`fn`) in the card of the registrar: `["vcard", [["fn", {}, "text", NAME], …]]` (RFC 7095). */
function registrarOf({ entities }: Domain): string | undefined {
  const registrar = objects(entities).find(({ roles }) => listOf(roles).includes('registrar'));
  const [, card] = listOf(registrar?.['vcardArray']);
  const line = listOf(card).find((one) => listOf(one)[0] === 'fn');
  const [, , , name] = listOf(line);
  return typeof name === 'string' ? name : undefined;
}

function endText(days: number, end: number): string {
  const date = new Date(end).toISOString().slice(0, 10);
  const count = Math.floor(Math.abs(days));
  const span = `${count} ${count === 1 ? 'day' : 'days'}`;
  return days < 0 ? `ended ${span} ago, on ${date}` : `ends in ${span}, on ${date}`;
}
