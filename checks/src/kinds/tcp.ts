import { open, secure } from '../connection.ts';
import type { Measurement } from '../measurement.ts';
import { readFrom } from '../read.ts';
import type { TcpSpec } from '../types.ts';

const MOST_BYTES = 65_536;
const SAMPLE_BYTES = 1_200;

/** Opens a connection; sends a text, and waits for the expected one, or for the first bytes of an answer to what was sent. */
export async function checkTcp(spec: TcpSpec, measured: Measurement): Promise<void> {
  const { host, tls, send, expect, ignore_tls = false } = spec;
  const plain = await open(spec, measured);
  const socket = tls ? await secure(plain, { host, mustBeValid: !ignore_tls }, measured) : plain;
  if (send !== undefined) socket.write(send);
  if (send === undefined && expect === undefined) return;
  measured.waitsFor = expect === undefined ? 'answer' : 'answer with the expected text';
  const wanted = Buffer.from(expect ?? '');
  const isEnough = (bytes: Buffer, from: number) => {
    // Somebody may want to see what came before a deadline.
    if (from < SAMPLE_BYTES) measured.sample = bytes.toString('utf8', 0, SAMPLE_BYTES);
    return bytes.includes(wanted, Math.max(0, from - wanted.length));
  };
  const { bytes } = await readFrom(socket, { most: MOST_BYTES, isEnough });
  const text = bytes.toString('utf8');
  measured.values['received'] = text;
  measured.sample = text;
  if (!bytes.includes(wanted)) throw new Error('the answer does not contain the expected text');
}
