import { isIP } from 'node:net';
import type { Measurement } from '../measurement.ts';
import type { Target } from '../network.ts';
import { lookUp, RECORD_TYPES } from '../records.ts';
import type { DnsSpec } from '../types.ts';

const MOST_ANSWERS = 256;

/** Answers of a name server without records; other failures are no answers. */
const RCODES: Readonly<Record<string, string>> = {
  ENODATA: 'NOERROR',
  ENOTFOUND: 'NXDOMAIN',
  EFORMERR: 'FORMERR',
  ESERVFAIL: 'SERVFAIL',
  ENOTIMP: 'NOTIMP',
  EREFUSED: 'REFUSED',
};

/** Asks for the records of a name. Names in answers end with a dot; the answers are sorted, as their order means nothing. */
export async function checkDns(spec: DnsSpec, measured: Measurement): Promise<void> {
  const type = RECORD_TYPES.find((one) => one === spec.type.toLowerCase());
  if (!type) throw new Error(`${spec.type} is no type of records that can be asked for`);
  const { network, signal, values } = measured;
  measured.waitsFor = 'answer to the look-up of the name server';
  const resolver = await network.resolver(spec.server ? serverOf(spec.server) : undefined);
  signal.throwIfAborted();
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  measured.waitsFor = 'answer of the name server';
  const { rcode, answers } = await lookUp(resolver, spec.name, type).then(
    (found) => ({ rcode: 'NOERROR', answers: found.toSorted().slice(0, MOST_ANSWERS) }),
    (error: NodeJS.ErrnoException) => {
      const rcode = RCODES[error.code ?? ''];
      if (rcode !== undefined) return { rcode, answers: [] };
      // Node gives the name, not the server, which is what did not answer.
      throw error.code === 'ECONNREFUSED'
        ? new Error('the name server refuses connections')
        : error;
    },
  );
  measured.hasContact = true;
  values['rcode'] = rcode;
  if (answers.length === 0) measured.summary = nothingText(rcode, spec.type);
  values['answers'] = answers;
  measured.sample = answers.join('\n');
}

function nothingText(rcode: string, type: string): string {
  if (rcode === 'NXDOMAIN') return 'there is no such name (NXDOMAIN)';
  if (rcode === 'NOERROR') return `the name has no records of the type ${type}`;
  return `the name server answers ${rcode}`;
}

/** Reads a host with an optional port; IPv6 with a port has brackets. */
function serverOf(text: string): Target {
  if (isIP(text) !== 0) return { host: text, port: 53 };
  const { bracketed, plain, digits } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+))(?::(?<digits>\d{1,5}))?$/.exec(text.trim())
      ?.groups ?? {};
  const host = bracketed ?? plain;
  const port = Number(digits ?? 53);
  if (host === undefined || port < 1 || port > 65_535)
    throw new Error('the name server is not written as host, host:port or [IPv6]:port');
  return { host, port };
}
