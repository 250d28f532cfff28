import { createHash, createPublicKey, verify } from 'node:crypto';

/** Name of the form. Agents and installers before 0.9 skip lines that they do not know. */
export const MANIFEST_HEAD = 'svc-manifest 1';

/** Manifest of what a server gives machines, signed (docs/protocol/enrol.md §3). */
export interface Manifest {
  /** `X.Y.Z` of the agent and the installer. */
  readonly version: string;
  /** SHA-256 of the parts, hex, by their kind and name: `agent 0.9.0`, `runtime linux-x64`. */
  readonly parts: ReadonlyMap<string, string>;
  /** Time when it was signed, Unix ms. */
  readonly made: number;
  /** The key that signs from now on: DER (SPKI) in base64. */
  readonly key: string;
  /** Keys whose signatures hold. Old ones sign along with a new one, so that machines learn it. */
  readonly signers: ReadonlySet<string>;
}

/** An Ed25519 key in DER (SPKI): 44 bytes. */
const KEY = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/;
const PART = /^((?:agent|installer|runtime|terminal) [\w.-]{1,40}) ([0-9a-f]{64}) \d{1,12}$/;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.-]{1,30})?$/;
const MOST_CHARACTERS = 64 * 1024;
const MOST_SIGNATURES = 20;

export const isKey = (text: string): boolean => KEY.test(text);

/** `sha256//` and 44 characters of base64: the digest of the key's DER, as pins of certificates have it. */
export const fingerprintOf = (key: string): string =>
  `sha256//${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64')}`;

/** @throws Error for a text that is no manifest, or has no signature of the key that it names */
export function readManifest(text: string): Manifest {
  const at = text.indexOf('\nsignature ');
  if (text.length > MOST_CHARACTERS || !text.startsWith(`${MANIFEST_HEAD}\n`) || at < 0)
    throw new Error('what the server gives is not signed');
  const signed = text.slice(0, at + 1);
  const fields = new Map<string, string>();
  for (const line of signed.split('\n').slice(1, -1)) addTo(fields, line);
  const key = fields.get('key') ?? '';
  const signers = signersOf(signed, text.slice(at + 1));
  if (!signers.has(key)) throw new Error('the manifest of the server has no good signature');
  const version = versionIn(fields);
  return { version, parts: partsOf(fields), made: Number(fields.get('made')), key, signers };
}

/** @throws Error for a line of another form, and for a second one of a name */
function addTo(fields: Map<string, string>, line: string): void {
  const [, part, digest = ''] = PART.exec(line) ?? [];
  const [, word = '', value = ''] = /^(made|key) (\S+)$/.exec(line) ?? [];
  const isGood = word === 'key' ? isKey(value) : /^\d{1,15}$/.test(value);
  const name = part ?? word;
  if ((part === undefined && !isGood) || fields.has(name))
    throw new Error('the manifest of the server has a line that is not understood');
  fields.set(name, part === undefined ? value : digest);
}

const partsOf = (fields: ReadonlyMap<string, string>) =>
  new Map([...fields].filter(([name]) => name.includes(' ')));

/** One agent, and the installer of its version. */
function versionIn(fields: ReadonlyMap<string, string>): string {
  const named = (kind: string) =>
    [...fields.keys()]
      .filter((name) => name.startsWith(`${kind} `))
      .map((name) => name.slice(kind.length + 1));
  const [agent = '', ...others] = named('agent');
  const isWhole = fields.has('made') && named('installer').join() === agent && others.length === 0;
  if (!isWhole || !VERSION.test(agent)) throw new Error('the manifest of the server is not whole');
  return agent;
}

function signersOf(signed: string, lines: string): Set<string> {
  const given = lines.split('\n').slice(0, MOST_SIGNATURES);
  const good = given.map((line) => {
    const [, key = '', signature = ''] = /^signature (\S+) ([A-Za-z0-9+/]{86}==)$/.exec(line) ?? [];
    return isKey(key) && isSignedBy(key, signed, signature) ? key : undefined;
  });
  return new Set(good.filter((key) => key !== undefined));
}

function isSignedBy(key: string, text: string, signature: string): boolean {
  const der = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  return verify(null, Buffer.from(text), createPublicKey(der), Buffer.from(signature, 'base64'));
}
