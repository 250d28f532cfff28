import type { EgressClient } from '@svc/plugin-egress/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Message } from '../api.ts';
import { hiding } from '../hiding.ts';
import { bodyOf, KINDS, type Kind, type Language, mailOf, render } from '../kinds/index.ts';
import type { Values } from '../secrets.ts';
import { sendHttp } from './http.ts';
import type { Outcome } from './outcome.ts';
import { mailHost, sendMail } from './smtp.ts';
import { sendToWorker } from './worker.ts';

export type { Outcome } from './outcome.ts';

/** Whole limit of one try, without its wait for a connection. */
const LIMIT_MS = 10_000;
/** Characters of an error that are kept. */
const MOST_ERROR = 500;
/** Longest wait for one of the connections that tokens share. */
const WAIT_MS = 30_000;

export interface Target {
  readonly kind: string;
  readonly config: Values;
  readonly secret: Values;
  readonly language: Language;
  readonly zone: string;
  readonly owner: string | null;
}

export interface DeliveryParts {
  readonly kernel: Pick<Kernel, 'brand' | 'call' | 'system' | 'clock' | 'log'>;
  readonly owners: Owners;
  /** Clients for channels of the Super Token, and for all others. */
  readonly clients: { readonly all: EgressClient; readonly public: EgressClient };
}

export interface Tried {
  readonly outcome: Outcome;
  /** Receiver, without what could be a secret. */
  readonly host: string;
}

/** Sends messages: of outbox and test button alike. */
export class Deliveries {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Tries once. Never throws; no error of the result holds a secret. */
  async send(target: Target, id: string, message: Message, stopping: AbortSignal): Promise<Tried> {
    const kind = KINDS.get(target.kind);
    if (!kind) return unknown(target);
    const values = { ...target.config, ...target.secret };
    const missing = kind.fields.find(
      ({ name, required }) => required && values[name] === undefined,
    );
    if (missing) return refused(`the field '${missing.name}' is empty: fill it in`);
    const hide = hiding(target.secret);
    try {
      const order = { kind: withHidden(kind, hide), values, target, id, message, stopping };
      const tried = await this.#try(order);
      return { ...tried, outcome: withoutSecrets(tried.outcome, hide) };
    } catch (error) {
      // A fault of a kind is no reason to repeat it for a day.
      const reason = hide((error as Error).message);
      this.#parts.kernel.log.error('a message could not be made', { kind: kind.kind, reason });
      return refused('the message could not be made; the log of the server has the reason');
    }
  }

  async #try({ kind, values, target, id, message, stopping }: Try): Promise<Tried> {
    const { kernel, owners, clients } = this.#parts;
    const now = kernel.clock.now();
    const { language, zone } = target;
    const rendered = render(message, { kind, language, zone, now });
    const context = { now, message_id: id, language, zone, brand: kernel.brand.word };
    const client = target.owner === null ? clients.all : clients.public;
    const within = (ms: number) => AbortSignal.any([stopping, AbortSignal.timeout(ms)]);
    if (kind.kind === 'worker') {
      const worker = String(values['worker']);
      const order = { worker, params: bodyOf(rendered, context) };
      const owner = await owners.principal(target.owner);
      return { host: worker, outcome: await sendToWorker(kernel, owner, order, within(LIMIT_MS)) };
    }
    if (!kind.request) {
      const mail = mailOf(values, rendered, context);
      return {
        host: mailHost(values),
        outcome: await sendMail({ client, kind, values, mail }, within(LIMIT_MS)),
      };
    }
    const request = kind.request(values, rendered, context);
    const host = URL.parse(request.url)?.host ?? '';
    const limits = {
      limit_ms: LIMIT_MS,
      share: target.owner ?? '',
      signal: within(WAIT_MS + LIMIT_MS),
    };
    return { host, outcome: await sendHttp(client, kind, request, limits) };
  }
}

interface Try {
  readonly kind: Kind;
  readonly values: Values;
  readonly target: Target;
  readonly id: string;
  readonly message: Message;
  readonly stopping: AbortSignal;
}

const refused = (error: string): Tried => ({
  host: '',
  outcome: { kind: 'permanent', status: null, error },
});
const unknown = ({ kind }: Target) =>
  refused(`this server knows no channels of the kind '${kind}'`);

type Hide = ReturnType<typeof hiding>;

const withoutSecrets = (outcome: Outcome, hide: Hide): Outcome =>
  outcome.kind === 'ok' ? outcome : { ...outcome, error: hide(outcome.error).slice(0, MOST_ERROR) };

/** The kind, whose words quote an answer without the secrets in it: a part of one that was cut would not be found afterwards. */
const withHidden = (kind: Kind, hide: Hide): Kind => ({
  ...kind,
  answer(status, headers, text) {
    const answer = kind.answer(status, headers, text);
    if (answer === 'ok' || 'remote_id' in answer) return answer;
    const quoted = kind.answer(status, headers, hide(text));
    if (typeof quoted === 'object' && 'permanent' in quoted && 'permanent' in answer) return quoted;
    if (typeof quoted === 'object' && 'retry' in quoted && 'retry' in answer) return quoted;
    const words = `the receiver refused it with status ${status}`;
    return 'permanent' in answer ? { permanent: words } : { ...answer, retry: words };
  },
});
