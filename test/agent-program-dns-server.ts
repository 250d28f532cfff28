/** A name server on loopback: answers from a table, over UDP. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPES = {
  a: 1,
  ns: 2,
  cname: 5,
  soa: 6,
  ptr: 12,
  mx: 15,
  txt: 16,
  aaaa: 28,
  srv: 33,
  caa: 257,
};
type Type = keyof typeof TYPES;

/** Content of the records by `name type`; a name that is absent does not exist. */
export type Zone = Record<string, Buffer[]>;

export interface TestDns {
  /** `IP:port`. */
  address: string;
  /** `name type` of every question. */
  questions: string[];
  stop(): Promise<void>;
}

export async function startDns(zone: Zone, { mute = false } = {}): Promise<TestDns> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, peer) => {
    const { name, type, end } = questionOf(query);
    const typeName = Object.entries(TYPES).find(([, number]) => number === type)?.[0];
    const key = `${name} ${typeName}`;
    questions.push(key);
    if (!mute) answer(socket, peer, query.subarray(0, end), type, zone[key]);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function answer(
  socket: Socket,
  peer: RemoteInfo,
  query: Buffer,
  type: number,
  records: Buffer[] | undefined,
): void {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(records ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records?.length ?? 0, 6);
  const lines = (records ?? []).map((data) => {
    const line = Buffer.alloc(12);
    line.writeUInt16BE(0xc00c, 0);
    line.writeUInt16BE(type, 2);
    line.writeUInt16BE(1, 4);
    line.writeUInt32BE(60, 6);
    line.writeUInt16BE(data.length, 10);
    return Buffer.concat([line, data]);
  });
  socket.send(Buffer.concat([head, query.subarray(12), ...lines]), peer.port, peer.address);
}

/** Name (lower case), type and the end of the first question. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

const numbers = (size: 1 | 2 | 4, ...values: number[]): Buffer => {
  const bytes = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) bytes.writeUIntBE(value, index * size, size);
  return bytes;
};

const counted = (text: string): Buffer =>
  Buffer.concat([numbers(1, Buffer.byteLength(text)), Buffer.from(text)]);

/** A domain name; the root is the empty text. */
const name = (text: string): Buffer =>
  Buffer.concat([...text.split('.').filter(Boolean).map(counted), numbers(1, 0)]);

/** The content of each type of record. */
export const record = {
  a: (address: string) => numbers(1, ...address.split('.').map(Number)),
  aaaa: (hex: string) => Buffer.from(hex, 'hex'),
  name,
  mx: (priority: number, exchange: string) => Buffer.concat([numbers(2, priority), name(exchange)]),
  txt: (...chunks: string[]) => Buffer.concat(chunks.map(counted)),
  srv: (priority: number, weight: number, port: number, target: string) =>
    Buffer.concat([numbers(2, priority, weight, port), name(target)]),
  soa: (primary: string, mailbox: string, ...values: number[]) =>
    Buffer.concat([name(primary), name(mailbox), numbers(4, ...values)]),
  caa: (flags: number, tag: string, value: string) =>
    Buffer.concat([numbers(1, flags), counted(tag), Buffer.from(value)]),
} satisfies Record<string, (...values: never[]) => Buffer> & Partial<Record<Type, unknown>>;
