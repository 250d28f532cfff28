import type { Message, MessageAlert, Severity } from '../api.ts';
import type { Language } from '../words/language.ts';
import type { Field, Values } from './fields.ts';

export type { Field, Language, Values };

export type Pairs = readonly (readonly [name: string, value: string])[];

export interface HttpRequest {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly headers: Pairs;
  readonly body: string | Uint8Array;
}

export interface Context {
  /** Unix ms. */
  readonly now: number;
  /** Id of the message, which stays at each try to send it. */
  readonly message_id: string;
  readonly language: Language;
  /** IANA name. */
  readonly zone: string;
  /** Word under which the server shows itself. */
  readonly brand: string;
}

/** Words for one alert; plain text. */
export interface RenderedAlert {
  readonly alert: MessageAlert;
  readonly line: string;
}

export interface Link {
  readonly label: string;
  readonly url: string;
}

/** A message in words: plain text without control characters, cut to the sizes of the kind. Kinds escape it for their markup. */
export interface Rendered {
  /** The message, cleaned. */
  readonly message: Message;
  /** Gist of the message, in one line. */
  readonly title: string;
  /** Further lines; may be none. */
  readonly lines: readonly string[];
  /** `lines` in one text. */
  readonly text: string;
  readonly severity: Severity;
  /** `over`: everything that it tells of has ended. */
  readonly state: 'open' | 'over' | 'acked' | 'none';
  /** Page of the only alert, and the address that acknowledges it; empty: none. */
  readonly url: string;
  readonly ack_url: string;
  /** Both, with their words. */
  readonly links: readonly Link[];
  readonly alerts: readonly RenderedAlert[];
}

/** Meaning of a receiver's answer. `permanent`: trying again would not help. Texts are for people. */
export type Answer =
  | 'ok'
  | { readonly remote_id: string }
  | { readonly permanent: string }
  | { readonly retry: string; readonly after_ms?: number };

/** Headers of an answer: pairs, or an object with lower-case names. */
export type AnswerHeaders = Pairs | Readonly<Record<string, string | undefined>>;

export type Markup = 'plain' | 'html' | 'markdown' | 'mrkdwn' | 'chat';

/** One kind of channels, as data and pure functions. */
export interface Kind {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly fields: readonly Field[];
  /** Faults that the fields alone do not show: what to change. */
  check?(values: Values): string | undefined;
  /** Makes the request that sends a message; absent: it is not sent over HTTP (`smtp`, `worker`). */
  request?(values: Values, message: Rendered, context: Context): HttpRequest;
  answer(status: number, headers: AnswerHeaders, text: string): Answer;
  readonly limits: {
    readonly per_second?: number;
    readonly per_minute?: number;
    readonly burst: number;
  };
  /** Sizes after escaping: characters, or bytes of UTF-8. */
  readonly size: { readonly title: number; readonly text: number; readonly bytes?: true };
  readonly markup: Markup;
  readonly priorities?: Readonly<Record<Severity, string>>;
  readonly idempotent: 'header' | 'path' | 'field' | 'none';
  /** The receiver keeps a state for each group of alerts: each message must reach it, none may be merged into another. */
  readonly resolves?: true;
  readonly example_url?: string;
}
