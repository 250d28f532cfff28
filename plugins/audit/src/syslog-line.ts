import { hostname } from 'node:os';

/** Fields that do not change between two messages. */
export interface Sender {
  readonly app: string;
  readonly host: string;
  readonly process: number;
}

/** Facility (RFC 5424 §6.2.1): security and authorization messages of the audit. */
const FACILITY = 13;
const WARNING = 4;
const NOTICE = 5;

/** Printable ASCII without blanks, as every field of the header. */
const field = (text: string, most: number): string =>
  text.replace(/[^\x21-\x7e]+/g, '-').slice(0, most) || '-';

export const senderOf = (app: string): Sender => ({
  app: field(app, 48),
  host: field(hostname(), 255),
  process: process.pid,
});

/** One row as a frame of RFC 6587 §3.4.1 (octet counting): a message of RFC 5424 whose text is the line of the export. */
export function frameOf(
  { app, host, process }: Sender,
  { at, method, outcome, line }: { at: number; method: string; outcome: number; line: string },
): Buffer {
  const priority = FACILITY * 8 + (outcome === 0 ? NOTICE : WARNING);
  const time = new Date(at).toISOString();
  const message = Buffer.from(
    `<${priority}>1 ${time} ${host} ${app} ${process} ${field(method, 32)} - ${line}`,
  );
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
