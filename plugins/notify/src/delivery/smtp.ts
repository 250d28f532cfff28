import { isIP } from 'node:net';
import type { EgressClient } from '@svc/plugin-egress/api';
import { type Kind, PORTS } from '../kinds/index.ts';
import type { Values } from '../secrets.ts';
import { type Outcome, shown, unanswered } from './outcome.ts';

const TIMEOUT_MS = 10_000;
/** Bytes of one answer of a mail server: the library gathers a line without an end in memory. */
const MOST_SAID = 65_536;

export interface MailOrder {
  readonly client: EgressClient;
  readonly kind: Kind;
  readonly values: Values;
  readonly mail: object;
}

/** Sends an e-mail over a socket that the guard of outgoing connections opened. */
export async function sendMail(
  { client, kind, values, mail }: MailOrder,
  limit: AbortSignal,
): Promise<Outcome> {
  const left = new AbortController();
  const signal = AbortSignal.any([limit, left.signal]);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...optionsOf(values),
    getSocket: socketOf(client, values, signal),
  });
  const abort = () => transport.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { response } = await transport.sendMail(mail);
    return { kind: 'ok', status: Number(/^\d{3}/.exec(response)?.[0] ?? 250) };
  } catch (error) {
    // A server that goes on talking is not listened to.
    left.abort();
    return failed(kind, error as SmtpError);
  } finally {
    signal.removeEventListener('abort', abort);
    transport.close();
  }
}

function optionsOf(values: Values) {
  const host = String(values['host']);
  const security = String(values['security'] ?? 'starttls');
  const user = values['user'];
  return {
    host,
    port: portOf(values),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && {
      auth: { user: String(user), pass: String(values['password'] ?? '') },
    }),
    tls: { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    maxResponseSize: MOST_SAID,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const portOf = ({ port, security }: Values): number =>
  Number(port ?? PORTS[String(security ?? 'starttls')] ?? PORTS['starttls']);

/** `host:port` of a channel, as a test shows it. */
export const mailHost = (values: Values): string => `${values['host']}:${portOf(values)}`;

type GetSocket = (
  options: unknown,
  done: (
    error: Error | null,
    socket?: { readonly connection: Awaited<ReturnType<EgressClient['connect']>> },
  ) => void,
) => void;

const socketOf =
  (client: EgressClient, values: Values, signal: AbortSignal): GetSocket =>
  (_options, done) => {
    client
      .connect({ host: String(values['host']), port: portOf(values), signal })
      .then((connection) => {
        // The whole try has a limit, whatever the library waits for.
        signal.addEventListener('abort', () => connection.destroy(), { once: true });
        done(null, { connection });
      }, done);
  };

interface SmtpError extends Error {
  readonly responseCode?: number;
  readonly response?: string;
  readonly code?: string;
  readonly command?: string;
}

function failed(kind: Kind, error: SmtpError): Outcome {
  const { responseCode: status, command, code } = error;
  const text = shown(error.message);
  if (status !== undefined) {
    const answer = kind.answer(status, [], error.response ?? error.message);
    if (typeof answer === 'object' && 'permanent' in answer)
      return { kind: 'permanent', status, error: shown(answer.permanent) };
    return { kind: 'retry', status, error: text, uncertain: false };
  }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE')
    return { kind: 'permanent', status: null, error: text };
  const outcome = unanswered(error);
  if (outcome.kind !== 'retry') return outcome;
  // The server has nothing that it could deliver before the text of the message is sent.
  return {
    ...outcome,
    uncertain: outcome.uncertain && (command === undefined || command === 'DATA'),
  };
}
