import type { Outcome, ResponseBody } from '../api.ts';
import type { Bodies } from './bodies.ts';
import { type Recorded, recordedJson, recordedText } from './result-text.ts';

/** Bytes of a result that is recorded. */
const MOST_RESULT = 4 * 1_048_576;
/** Bytes of a body that a script writes in pieces. */
const MOST_BODY = 64 * 1_048_576;

/** The script side's text where even the error could not be read. */
const UNSHOWN = 'an error that cannot be shown';
/** Characters of a failure's text. */
const MOST_DETAIL = 16_384;

export interface Source {
  readonly bodies: Bodies;
  /** Memory was refused during the run. */
  readonly exhausted: boolean;
}

/** Facts that the script side gives at the end of a handler. */
interface Head {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text?: string;
  readonly host?: number;
  readonly out?: boolean;
}

/** Collects what one run gives. */
export class Output {
  readonly #handler: string;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(handler: string) {
    this.#handler = handler;
  }

  /** A piece of a body that is too large for the bridge. @returns why it is refused, or the empty text */
  add(bytes: Uint8Array): string {
    this.#length += bytes.length;
    if (this.#length > MOST_BODY) return `a body is larger than ${MOST_BODY} bytes`;
    this.#pieces.push(bytes);
    return '';
  }

  /** Returns the pieces so far as a whole, and forgets them. */
  drain(): Uint8Array {
    this.#length = 0;
    return Buffer.concat(this.#pieces.splice(0));
  }

  /** A script can replace the built-ins behind its JSON: no value here is sure to have its shape. */
  outcome(kind: string, text: string, bytes: Uint8Array | undefined, of: Source): Outcome {
    if (kind === 'json') return recorded(recordedJson(text, MOST_RESULT));
    const value = parsed(text);
    if (kind === 'text') return recorded(recordedText(String(value), MOST_RESULT));
    if (kind === 'response') return this.#response(value as Head, bytes, of.bodies);
    return failed(value, of.exhausted);
  }

  #response(head: Head, bytes: Uint8Array | undefined, bodies: Bodies): Outcome {
    if (!isHead(head))
      return failure(`[js_invoke] Error: ${this.#handler} must return a Response object`);
    const { status, headers } = head;
    return { kind: 'response', status, headers, body: this.#body(head, bytes, bodies) };
  }

  #body({ text, host, out }: Head, bytes: Uint8Array | undefined, bodies: Bodies): ResponseBody {
    if (out) return this.drain();
    if (text !== undefined) return text;
    if (host !== undefined) return bodies.whole(host) ?? null;
    return bytes ?? null;
  }
}

function isHead(head: Head | null | undefined): head is Head {
  const { status, headers, text } = head ?? {};
  return (
    Number.isInteger(status) &&
    Array.isArray(headers) &&
    headers.every(
      (pair) =>
        Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'),
    ) &&
    (text === undefined || typeof text === 'string')
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `given` is `[stage or null, text, whether no error was thrown but a bare value]`. */
function failed(given: unknown, exhausted: boolean): Outcome {
  const [stage, detail, bare] = Array.isArray(given) ? (given as unknown[]) : [];
  if (typeof detail !== 'string' || (exhausted && (bare === true || detail === UNSHOWN)))
    return failure(`[${stage === 'js_eval' ? stage : 'js_invoke'}] InternalError: out of memory`);
  const text = detail.slice(0, MOST_DETAIL);
  return failure(typeof stage === 'string' ? `[${stage.slice(0, 32)}] ${text}` : text);
}

const failure = (detail: string): Outcome => ({ kind: 'failure', detail, late: false });

const recorded = (result: Recorded): Outcome =>
  'text' in result
    ? { kind: 'json', text: result.text }
    : failure(`[json_parse] Script return is not valid JSON: ${result.unusable}`);
