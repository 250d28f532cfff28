import type { VariableType, Vocabulary } from '@svc/conditions';
import type { CheckKind } from './types.ts';

type Variables = Readonly<Record<string, VariableType>>;

const CONNECTION: Variables = {
  ms: 'double',
  ms_dns: 'double',
  ms_connect: 'double',
  ip: 'string',
};
const TLS: Variables = {
  ms_tls: 'double',
  'tls.valid': 'bool',
  'tls.reason': 'string',
  'tls.days_left': 'double',
  'tls.lifetime_days': 'double',
  'tls.issuer': 'string',
  'tls.names': 'list',
  'tls.protocol': 'string',
  'tls.chain': 'list',
};
const HTTP: Variables = {
  status: 'double',
  ms_first: 'double',
  body: 'string',
  json: 'object',
  headers: 'object',
  // `bytes` is a word of the language.
  body_bytes: 'double',
  redirects: 'double',
};

/** One object for each kind: the language keeps what it made of one. */
const VOCABULARIES: Readonly<Record<CheckKind, Vocabulary>> = {
  http: { variables: { ...CONNECTION, ...TLS, ...HTTP } },
  tcp: { variables: { ...CONNECTION, ...TLS, received: 'string' } },
  ping: { variables: { ms: 'double', loss_percent: 'double', jitter: 'double', ip: 'string' } },
  dns: { variables: { ms: 'double', answers: 'list', rcode: 'string' } },
  tls: { variables: { ...CONNECTION, ...TLS } },
  domain: { variables: { ms: 'double', days_left: 'double', registrar: 'string', status: 'list' } },
};

const DEFAULTS: Readonly<Record<CheckKind, string>> = {
  http: 'status >= 200 && status < 400',
  // A connection that is not made, or a text that does not come, is an error of the outcome.
  tcp: 'true',
  ping: 'loss_percent < 100',
  dns: 'rcode == "NOERROR" && size(answers) > 0',
  tls: 'tls.valid',
  domain: 'days_left > 14',
};

/** Returns the variables that conditions about checks of a kind may use. */
export const vocabularyOf = (kind: CheckKind): Vocabulary => VOCABULARIES[kind];

const DEFAULT_TEXTS = new Set(Object.values(DEFAULTS));

/** Tells whether nobody needs to read a condition: what was measured says it. */
export const isDefault = (text: string): boolean => DEFAULT_TEXTS.has(text);

/** Returns the condition of checks for which nobody wrote one. */
export const defaultCondition = (kind: CheckKind): string => DEFAULTS[kind];
