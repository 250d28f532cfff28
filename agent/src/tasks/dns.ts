import { Resolver } from 'node:dns/promises';
import { lookUp, RECORD_TYPES, type RecordType } from '@svc/checks';
import type { Clock } from '../clock.ts';
import { readObject, readOptionalText, readText, readTexts } from '../content.ts';
import { elapsed } from '../measure.ts';
import type { TaskHandler } from '../task-context.ts';

/** Limits of a query, which is sent twice, so that one lost packet does not use up the task's time. */
const QUERY = { timeout: 1500, tries: 2 };

interface DnsRecord {
  data: string;
  record_type: RecordType;
  time: number;
}

/**
 * Records of a domain, one type after the other. A type that fails is left out (task.md §6).
 * @throws Error when types were asked for and no record was found
 */
export const dns: TaskHandler = async (content, { runtime: { clock }, signal }) => {
  const { domain, types, dns_server } = readQuestion(content);
  const resolver = new Resolver(QUERY);
  if (dns_server !== undefined) resolver.setServers([dns_server]);
  const stop = () => resolver.cancel();
  signal.addEventListener('abort', stop);
  const records: DnsRecord[] = [];
  const failures: string[] = [];
  try {
    for (const type of types) {
      const found = await timedLookUp(resolver, domain, type, clock).catch((error: Error) => {
        failures.push(error.message);
        return [];
      });
      signal.throwIfAborted();
      records.push(...found);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (records.length === 0 && types.length > 0) {
    throw new Error(`no record found: ${failures[0] ?? 'empty answers'}`);
  }
  return records;
};

async function timedLookUp(
  resolver: Resolver,
  domain: string,
  record_type: RecordType,
  clock: Clock,
): Promise<DnsRecord[]> {
  const begun = clock.steady();
  const texts = await lookUp(resolver, domain, record_type);
  const time = elapsed(clock, begun);
  return texts.map((data) => ({ data, record_type, time }));
}

function readQuestion(content: unknown): {
  domain: string;
  types: RecordType[];
  dns_server: string | undefined;
} {
  const members = readObject(content, 'dns');
  const types = readTexts(members['record_types'], 'record_types').map(readType);
  const dns_server = readOptionalText(members['dns_server'], 'dns_server')?.trim();
  return {
    domain: readText(members['domain'], 'domain').trim(),
    types,
    dns_server: dns_server === '' ? undefined : dns_server,
  };
}

function readType(name: string): RecordType {
  const type = RECORD_TYPES.find((one) => one === name);
  if (type) return type;
  throw new Error(`malformed task: ${name} is not one of ${RECORD_TYPES.join(' ')}`);
}
