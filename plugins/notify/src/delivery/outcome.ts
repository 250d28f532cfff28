/** Result of one try to send a message. */
export type Outcome =
  | { readonly kind: 'ok'; readonly status: number | null; readonly remote?: string | undefined }
  | { readonly kind: 'permanent'; readonly status: number | null; readonly error: string }
  | {
      readonly kind: 'retry';
      readonly status: number | null;
      readonly error: string;
      readonly after_ms?: number | undefined;
      /** Tells whether the receiver may have the message all the same. */
      readonly uncertain: boolean;
    };

/** Characters of a text that are looked at; `Deliveries` cuts it further once it holds no secrets. */
const SHOWN = 4_000;

export const shown = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, SHOWN);

/** Failures of the way to the receiver: nothing of the message has left. */
const BEFORE =
  /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\b|^(?:connect|getaddrinfo) |^connection takes too long|certificate|^no address/i;
/** Failures that no repetition mends. */
const FOR_GOOD =
  /is a private address|a redirect was not expected|^Invalid (?:URL|port)|URL scheme must|unsupported protocol/i;

/** Result of a request that brought no answer. */
export function unanswered(error: unknown): Outcome {
  const { message, cause } = error as { message?: string; cause?: unknown };
  const reason = shown(typeof cause === 'string' ? cause : (message ?? String(error)));
  if (FOR_GOOD.test(reason)) return { kind: 'permanent', status: null, error: reason };
  return { kind: 'retry', status: null, error: reason, uncertain: !BEFORE.test(reason) };
}
