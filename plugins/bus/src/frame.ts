/** Frames of other versions are ignored: a later one may have another form. */
const VERSION = 1;

export interface Message {
  readonly topic: string;
  readonly payload: unknown;
}

/** Server id → a number. */
export interface Counts {
  readonly [id: string]: number;
}

/** Heartbeat of a server, at least every second. */
export interface Heartbeat {
  readonly uuid: string;
  readonly version: string;
  /** Number of the last direct frame to each server. */
  readonly direct: Counts;
  /** Number of times that this server has counted each other one as dead. A server that lived on learns it here. */
  readonly countedDead: Counts;
  /** The server stops. */
  readonly bye: boolean;
}

/** Messages or a heartbeat of one server. */
export interface Frame {
  readonly from: string;
  /** The only receiver; undefined: all. */
  readonly to: string | undefined;
  /** Number of this frame among those of `from` to the same receivers; of a heartbeat: number of the last frame to all. */
  readonly number: number;
  readonly messages: readonly Message[];
  readonly heartbeat: Heartbeat | undefined;
}

/** One message as text. @throws when the payload has no JSON form */
export function encodeMessage(topic: string, payload: unknown): string {
  if (payload instanceof Uint8Array) return JSON.stringify([topic, base64(payload), true]);
  if (typeof payload !== 'object' || payload === null) return JSON.stringify([topic, payload]);
  const binary = Object.entries(payload).filter(([, value]) => value instanceof Uint8Array);
  if (binary.length === 0) return JSON.stringify([topic, payload]);
  const texts = Object.fromEntries(binary.map(([key, value]) => [key, base64(value)]));
  return JSON.stringify([topic, { ...payload, ...texts }, Object.keys(texts)]);
}

/** `messages`: texts of `encodeMessage`. */
export const encodeFrame = (
  { from, to, number }: Pick<Frame, 'from' | 'to' | 'number'>,
  messages: readonly string[],
): string =>
  `${JSON.stringify({ v: VERSION, from, to, n: number }).slice(0, -1)},"m":[${messages}]}`;

export function encodeHeartbeat(from: string, number: number, heartbeat: Heartbeat): string {
  const { countedDead: mourned, ...rest } = heartbeat;
  return JSON.stringify({ v: VERSION, from, n: number, beat: { ...rest, mourned } });
}

/** undefined: not a frame, or one of another version. */
export function decodeFrame(text: string): Frame | undefined {
  const raw = parse(text);
  if (!isObject(raw) || raw['v'] !== VERSION) return undefined;
  const { from, to, n: number, m, beat } = raw;
  if (typeof from !== 'string' || !isCount(number)) return undefined;
  if (to !== undefined && typeof to !== 'string') return undefined;
  const messages = Array.isArray(m) ? m.flatMap(decodeMessage) : [];
  const heartbeat = isObject(beat) ? decodeHeartbeat(beat) : undefined;
  return { from, to, number, messages, heartbeat };
}

function decodeMessage(raw: unknown): Message[] {
  if (!Array.isArray(raw)) return [];
  const [topic, payload, binary] = raw as unknown[];
  if (typeof topic !== 'string') return [];
  if (binary === true)
    return typeof payload === 'string' ? [{ topic, payload: bytes(payload) }] : [];
  if (!Array.isArray(binary) || !isObject(payload)) return [{ topic, payload }];
  for (const key of binary) {
    const text = Object.hasOwn(payload, key) && payload[key];
    if (typeof text === 'string') payload[key] = bytes(text);
  }
  return [{ topic, payload }];
}

function decodeHeartbeat(raw: Record<string, unknown>): Heartbeat {
  const { uuid, version, direct, mourned, bye } = raw;
  return {
    uuid: String(uuid),
    version: String(version),
    direct: countsOf(direct),
    countedDead: countsOf(mourned),
    bye: bye === true,
  };
}

function countsOf(raw: unknown): Counts {
  const counts = isObject(raw) ? Object.entries(raw).filter(([, count]) => isCount(count)) : [];
  return Object.fromEntries(counts) as Counts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text of another program on the same channel: not a frame.
    return undefined;
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bytes = (text: string): Uint8Array => Buffer.from(text, 'base64');
const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');
