/** Errors of Node in plain words. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the other side closed the connection',
  EPIPE: 'the other side closed the connection',
  ETIMEDOUT: 'the connection got no answer',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network of the host',
  EADDRNOTAVAIL: 'this machine has no address from which it could be reached',
  EACCES: 'this machine does not let the connection out',
  EPERM: 'this machine does not let the connection out',
  ENOTFOUND: 'no address was found for the name',
  ENODATA: 'no address was found for the name',
  EAI_AGAIN: 'no name server answered',
  EAI_FAIL: 'no name server answered',
  ETIMEOUT: 'the name server did not answer',
  EBADNAME: 'the name is not one of the DNS',
  EBADRESP: 'the answer of the name server cannot be read',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are larger than 16 kB',
  ERR_INVALID_URL: 'the address is no URL',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the other side does not speak TLS',
};

/** Errors of a target, or of a name server, from which nothing came. */
const SILENCE = new Set(
  'ETIMEDOUT EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EAI_AGAIN EAI_FAIL ETIMEOUT'.split(' '),
);
/** Errors by which a target, or a name server, answers. */
const REFUSALS = new Set('ECONNREFUSED ECONNRESET EPIPE ENOTFOUND ENODATA'.split(' '));
/** Errors that tell of this machine, not of the target. */
const SHORTAGE = new Set(
  'EMFILE ENFILE ENOBUFS ENOMEM EAGAIN EADDRNOTAVAIL EACCES EPERM ERR_PRIVATE_ADDRESS'.split(' '),
);

const codeOf = (error: unknown): string => `${(error as { code?: unknown } | null)?.code ?? ''}`;

/** Error of a target from which nothing came. */
export class Silence extends Error {}

/** Error that tells of this machine, not of the target. */
export class Shortage extends Error {}

/** Tells whether an error means that nothing came from the other side. */
export const isSilence = (error: unknown): boolean =>
  error instanceof Silence || SILENCE.has(codeOf(error));

/** Tells whether the other side answered by an error. */
export const isRefusal = (error: unknown): boolean => REFUSALS.has(codeOf(error));

/** Tells whether an error is the business of this machine: it says nothing about the target. */
export const isShortage = (error: unknown): boolean =>
  error instanceof Shortage || SHORTAGE.has(codeOf(error));

interface NodeError {
  readonly message?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Returns what went wrong as a sentence for a person. */
export function sentenceOf(error: unknown): string {
  const { message, code = '', reason, hostname, address, port } = error as NodeError;
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  if (words) {
    const where = hostname ?? (address && port ? `${address} port ${port}` : address);
    return where ? `${words}: ${where}` : words;
  }
  if (code.startsWith('HPE_')) return `the answer is not HTTP: ${reason ?? message}`;
  // The message of OpenSSL names its own source files.
  if (code.startsWith('ERR_SSL_')) return `TLS failed: ${reason ?? code}`;
  return message || String(error);
}

/** Returns the beginning of a text without characters that databases and pages do not take. */
export const shown = (text: string, characters: number): string =>
  text
    .slice(0, characters)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, ' ')
    .toWellFormed();
