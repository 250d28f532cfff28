/** Frames of other versions are ignored: a later one may have another form. */
const VERSION = 1;

export interface Message {
  readonly topic: string;
  readonly payload: unknown;
}

export interface Counts {
  readonly [id: string]: number;
}

/** What a sender says about itself, at least every second. */
export interface Beat {
  readonly uuid: string;
  readonly version: string;
  /** Number of the last direct frame to each server. */
  readonly direct: Counts;
  /** How often it has counted each server as dead: one that lived on learns it here. */
  readonly mourned: Counts;
  /** It stops. */
  readonly bye: boolean;
}

/** `n`: number of this frame in its stream (broadcasts of `from`, or direct ones to `to`); of a beat: of the last broadcast. */
export interface Frame {
  readonly from: string;
  readonly to: string | undefined;
  readonly n: number;
  readonly messages: readonly Message[];
  readonly beat: Beat | undefined;
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

export const encodeFrame = (
  { from, to, n }: Pick<Frame, 'from' | 'to' | 'n'>,
  messages: readonly string[],
): string => `${JSON.stringify({ v: VERSION, from, to, n }).slice(0, -1)},"m":[${messages}]}`;

export const encodeBeat = (from: string, n: number, beat: Beat): string =>
  JSON.stringify({ v: VERSION, from, n, beat });

/** undefined: not a frame, or one of another version. */
export function decodeFrame(text: string): Frame | undefined {
  const raw = parse(text);
  if (!isObject(raw) || raw['v'] !== VERSION) return undefined;
  const { from, to, n, m, beat } = raw;
  if (typeof from !== 'string' || !isCount(n)) return undefined;
  if (to !== undefined && typeof to !== 'string') return undefined;
  const messages = Array.isArray(m) ? m.flatMap(decodeMessage) : [];
  return { from, to, n, messages, beat: isObject(beat) ? decodeBeat(beat) : undefined };
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

function decodeBeat({ uuid, version, direct, mourned, bye }: Record<string, unknown>): Beat {
  return {
    uuid: String(uuid),
    version: String(version),
    direct: countsOf(direct),
    mourned: countsOf(mourned),
    bye: bye === true,
  };
}

function countsOf(raw: unknown): Counts {
  const counts = isObject(raw) ? Object.entries(raw).filter(([, n]) => isCount(n)) : [];
  return Object.fromEntries(counts) as Counts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Foreign text on our channel: as good as none.
    return undefined;
  }
}

const isCount = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bytes = (text: string): Uint8Array => Buffer.from(text, 'base64');
const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');
