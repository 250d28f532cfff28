import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Certificate, Inspection } from './types.ts';

/** Certificates of a chain that are looked at. */
const MOST_LINKS = 10;
/** Names of a certificate that are kept. */
const MOST_NAMES = 100;
/** Characters of a name, and of a reason, that are kept: a peer may send any. */
const MOST_TEXT = 300;
const MOST_REASON = 1_000;
/** Latest time that is told, Unix ms: the year 2100. Earliest is 1970. */
const MOST_TIME = 4_102_444_800_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Reads the certificates that the peer served, and says whether they are good for the host. @throws Error without any */
export function inspect(
  socket: TLSSocket,
  { peer, host, now }: { peer: DetailedPeerCertificate; host: string; now: number },
): Inspection {
  const { links, isWhole } = linksOf(peer);
  const [first] = links;
  if (!first) throw new Error('the other side has no certificate');
  const chain = links.map(certificateOf);
  const names = namesOf(first);
  const missing = isWhole || socket.authorized ? [] : chain.slice(-1).map(({ issuer }) => issuer);
  const fitting = isIP(host) === 0 ? first.checkHost(host) : first.checkIP(host);
  const reason =
    outOfTime(chain.slice(0, 1), now) ??
    (fitting === undefined ? `it is not for ${host} but for ${listed(names)}` : null) ??
    (socket.authorized ? null : distrust(socket, { chain, missing, now }));
  return {
    ...{ valid: reason === null, reason: reason === null ? null : cut(reason, MOST_REASON) },
    ...{ protocol: socket.getProtocol(), names, chain, missing },
  };
}

/** Returns the variables of a condition. */
export function variablesOf({ valid, reason, protocol, names, chain }: Inspection, now: number) {
  const { not_before = 0, not_after = 0, issuer = '' } = chain[0] ?? {};
  return {
    ...{ valid, issuer, names, protocol, reason: reason ?? '' },
    days_left: Math.floor(((not_after - now) / DAY_MS) * 100) / 100,
    lifetime_days: Math.round(((not_after - not_before) / DAY_MS) * 100) / 100,
    chain: chain.map(({ subject }) => subject),
  };
}

/**
 * Walks from the peer's certificate upwards. Node goes on from what was served to the authorities that are trusted; the chain is
 * whole where it ends with one that signed itself. `getPeerX509Certificate` is no way: it takes the certificates out of the
 * connection, those of issuers for ever.
 */
function linksOf(peer: DetailedPeerCertificate): { links: X509Certificate[]; isWhole: boolean } {
  const links: X509Certificate[] = [];
  let link: DetailedPeerCertificate | undefined = peer;
  while (link?.raw && links.length < MOST_LINKS) {
    links.push(new X509Certificate(link.raw));
    if (link.issuerCertificate === link) return { links, isWhole: true };
    link = link.issuerCertificate;
  }
  return { links, isWhole: false };
}

const certificateOf = (one: X509Certificate): Certificate => ({
  subject: oneLine(one.subject),
  issuer: oneLine(one.issuer),
  not_before: timeOf(one.validFromDate),
  not_after: timeOf(one.validToDate),
  fingerprint: one.fingerprint256,
});

/** Returns a time within what is told; one that cannot be read is 1970. */
const timeOf = (date: Date): number => Math.min(Math.max(0, date.getTime() || 0), MOST_TIME);

const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();

const oneLine = (name: string | undefined): string =>
  cut((name ?? '').split('\n').join(', '), MOST_TEXT);

/** Names and addresses that a certificate is for. */
const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? [])
    .slice(0, MOST_NAMES)
    .map((name) => cut(name, MOST_TEXT));

function outOfTime(chain: readonly Certificate[], now: number): string | null {
  for (const { not_before, not_after } of chain) {
    if (now >= not_after) return `expired ${spanOf(now - not_after)} ago`;
    if (now < not_before) return `valid only in ${spanOf(not_before - now)}`;
  }
  return null;
}

/** Says why a chain does not lead to an authority that is trusted. */
function distrust(
  { authorizationError }: TLSSocket,
  { chain, missing, now }: Pick<Inspection, 'chain' | 'missing'> & { readonly now: number },
): string {
  const above = chain.slice(1).find((one) => outOfTime([one], now) !== null);
  if (above) return `its issuer ${above.subject}: ${outOfTime([above], now)}`;
  if (missing.length > 0)
    return `the certificate of its issuer ${listed(missing)} is neither served nor trusted`;
  const last = chain.at(-1);
  if (chain.length === 1 && last?.subject === last?.issuer) return 'it is self-signed';
  if (last?.subject === last?.issuer) return `the authority ${last?.subject} is not trusted`;
  // Node gives the code of OpenSSL.
  return `it is not trusted (${authorizationError})`;
}

/** Time in its largest unit, rounded down. */
function spanOf(ms: number): string {
  const [count, unit] =
    ms >= DAY_MS
      ? [ms / DAY_MS, 'day']
      : ms >= 60 * MINUTE_MS
        ? [ms / (60 * MINUTE_MS), 'hour']
        : [ms / MINUTE_MS, 'minute'];
  const whole = Math.floor(Number(count));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'no name' : names.slice(0, 3).join(', ') + (names.length > 3 ? ' …' : '');
