/** Certificates of a test's own authority, composed by hand: Node signs, but has nothing that composes them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export const DAY_MS = 86_400_000;

export interface Issued {
  readonly name: string;
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface Wanted {
  readonly name: string;
  /** Absent: it signs itself. */
  readonly issuer?: Issued;
  /** DNS names and IPv4 addresses. */
  readonly names?: readonly string[];
  readonly isAuthority?: boolean;
  /** Days from now, which may be in the past. */
  readonly from_days?: number;
  readonly until_days?: number;
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const TRUE = der(0x01, Buffer.from([0xff]));

const nameOf = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

/** Years that two digits do not tell have four. */
function time(ms: number): Buffer {
  const date = new Date(ms);
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const isShort = date.getUTCFullYear() >= 1950 && date.getUTCFullYear() < 2050;
  return isShort
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`));
}

const generalName = (name: string) =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));

function extensions({ isAuthority = false, names = [] }: Wanted): Buffer {
  const basic = sequence(oid('551d13'), TRUE, der(0x04, isAuthority ? sequence(TRUE) : sequence()));
  const alternative = sequence(oid('551d11'), der(0x04, sequence(...names.map(generalName))));
  return der(0xa3, sequence(basic, ...(names.length > 0 ? [alternative] : [])));
}

let serial = 1;

export function issue(wanted: Wanted): Issued {
  const { name, issuer, from_days = -30, until_days = 60 } = wanted;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(now + from_days * DAY_MS), time(now + until_days * DAY_MS)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(wanted),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const made = sequence(content, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    name,
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${made
      .toString('base64')
      .match(/.{1,64}/g)
      ?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Authority that the checks of the tests trust, and one between it and the servers. */
export const root = issue({ name: 'Test Root', isAuthority: true });
export const middle = issue({ name: 'Test Middle', issuer: root, isAuthority: true });
export const ROOTS: readonly string[] = [root.cert];
