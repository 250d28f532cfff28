import { isIP, type Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls';
import { inspect, variablesOf } from './certificate.ts';
import { firstAnswer } from './first-answer.ts';
import { type Measurement, since } from './measurement.ts';
import type { Target } from './network.ts';

/** Opens a connection to the first address of the host that takes it. @throws Error */
export async function open(
  { host, port, family }: Target & { readonly family?: 4 | 6 | undefined },
  measured: Measurement,
): Promise<Socket> {
  const { network, clock, signal, values } = measured;
  const begun = clock.monotonic();
  measured.waitsFor = 'answer to the look-up of the name';
  const addresses = await network.addresses({ host, port, ...(family && { family }) });
  values['ms_dns'] = since(begun, measured);
  const found = clock.monotonic();
  measured.waitsFor = 'answer to the connection';
  const attempt = async (address: string, over: AbortSignal) => {
    const socket = await network.connect({ host, port, address, signal: over });
    return owned(socket, signal);
  };
  const socket = await firstAnswer(addresses, attempt, { clock, signal });
  measured.hasContact = true;
  values['ms_connect'] = since(found, measured);
  if (socket.remoteAddress !== undefined) values['ip'] = socket.remoteAddress;
  return socket;
}

/** Sockets below TLS: those above end them. Node crashes where both are destroyed, the lower one first. */
const below = new WeakSet<Socket>();

/** Ends the socket with its check. */
function owned<T extends Socket>(socket: T, signal: AbortSignal): T {
  // Errors reach what waits for the socket; while nothing does they mean nothing.
  socket.on('error', () => undefined);
  const end = () => void (below.has(socket) || socket.destroy());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return socket;
}

/**
 * Speaks TLS over a connection and looks at the certificates, which are not refused before they have been read.
 * @throws Error for invalid ones where they must be valid: nothing was sent then
 */
export async function secure(
  socket: Socket,
  { host, mustBeValid, protocols = [] }: SecureOptions,
  measured: Measurement,
): Promise<Socket> {
  const begun = measured.clock.monotonic();
  measured.waitsFor = 'end of the TLS handshake';
  measured.signal.throwIfAborted();
  if (socket.destroyed) throw new Error('the other side closed the connection');
  let seen: PeerCertificate | undefined;
  const secured = connect({
    socket,
    secureContext: contextOf(measured.roots),
    rejectUnauthorized: false,
    // The name is looked at with the rest. Node reads trusted certificates for this: once is enough.
    checkServerIdentity: (_name, certificate) => {
      seen = certificate;
      return undefined;
    },
    ...(isIP(host) === 0 && { servername: host }),
    ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
  });
  below.add(socket);
  owned(secured, measured.signal);
  await new Promise<void>((resolve, reject) => {
    secured.once('secureConnect', resolve);
    secured.once('error', reject);
    secured.once('close', () =>
      reject(new Error('the other side closed the connection during the TLS handshake')),
    );
  });
  measured.values['ms_tls'] = since(begun, measured);
  const now = measured.clock.now();
  const peer = (seen ?? secured.getPeerCertificate(true)) as DetailedPeerCertificate;
  const certificate = inspect(secured, { peer, host, now });
  measured.certificate = certificate;
  measured.values['tls'] = variablesOf(certificate, now);
  if (mustBeValid && !certificate.valid)
    throw new Error(`the certificate is not valid: ${certificate.reason}`);
  return secured;
}

interface SecureOptions {
  /** Name that is asked for, and that the certificate has to be for. */
  readonly host: string;
  readonly mustBeValid: boolean;
  /** Protocols to offer (ALPN). */
  readonly protocols?: readonly string[];
}

let ofNode: SecureContext | undefined;
const contexts = new WeakMap<readonly string[], SecureContext>();

/** Settings of TLS with these authorities beside those of Node: reading a hundred of them takes milliseconds. */
function contextOf(roots: readonly string[] | undefined): SecureContext {
  if (!roots) {
    ofNode ??= createSecureContext();
    return ofNode;
  }
  const context =
    contexts.get(roots) ?? createSecureContext({ ca: [...getCACertificates(), ...roots] });
  contexts.set(roots, context);
  return context;
}
