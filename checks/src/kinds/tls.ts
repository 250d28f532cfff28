import type { Socket } from 'node:net';
import { open, secure } from '../connection.ts';
import type { Measurement } from '../measurement.ts';
import { readFrom } from '../read.ts';
import type { StartTls, TlsSpec } from '../types.ts';

/** Longest answer before TLS. */
const MOST_BYTES = 8_192;

/** Lines to send, and what the last line of each answer begins with. Without a line the other side speaks first. */
const DIALOGUES: Readonly<Record<StartTls, readonly (readonly [string, string])[]>> = {
  smtp: [
    ['', '220 '],
    ['EHLO checks.invalid', '250 '],
    ['STARTTLS', '220 '],
  ],
  imap: [
    ['', '* OK '],
    ['a STARTTLS', 'a OK '],
  ],
  pop3: [
    ['', '+OK'],
    ['STLS', '+OK'],
  ],
  ftp: [
    ['', '220 '],
    ['AUTH TLS', '234 '],
  ],
};
const REFUSAL = /^(?:[45]\d\d |a (?:NO|BAD) |\* BYE |-ERR)/;

/** Looks at the certificates of a server; invalid ones are measured, not refused. */
export async function checkTls(spec: TlsSpec, measured: Measurement): Promise<void> {
  const { host, servername = host, starttls } = spec;
  const socket = await open(spec, measured);
  if (starttls) await startTls(socket, starttls, measured);
  await secure(socket, { host: servername, mustBeValid: false }, measured);
}

async function startTls(socket: Socket, protocol: StartTls, measured: Measurement): Promise<void> {
  for (const [line, done] of DIALOGUES[protocol]) {
    measured.waitsFor = line === '' ? 'greeting' : `answer to ${line}`;
    if (line !== '') socket.write(`${line}\r\n`);
    const isEnough = (bytes: Buffer, from: number) =>
      bytes.includes('\n', from) &&
      linesOf(bytes).some((one) => one.startsWith(done) || REFUSAL.test(one));
    const { bytes } = await readFrom(socket, { most: MOST_BYTES, isEnough });
    measured.sample = bytes.toString('latin1');
    if (!linesOf(bytes).some((one) => one.startsWith(done)))
      throw new Error(`the server did not agree to begin TLS${line && ` (${line})`}`);
  }
}

/** Lines that have come to their end. */
const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').split('\n').slice(0, -1);
