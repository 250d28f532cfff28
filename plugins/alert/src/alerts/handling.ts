import {
  type CallContext,
  type Methods,
  optional,
  type Principal,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import { AlertAnswer, EventAnswer, Time } from '../schemas.ts';
import { endOf } from '../store/next-row.ts';
import { type Alert, OPEN } from '../types.ts';
import { Text } from '../wire.ts';
import { alertOf, onAlert, rightTo } from './find.ts';
import type { AlertMethodParts } from './methods.ts';

const Id = Type.Integer({ minimum: 1, description: 'Id of the alert.' });
/** Notes of one episode. */
const MOST_NOTES = 50;
const noteOf = (description: string) =>
  optional(Text({ minLength: 1, maxLength: 300, description }));

/** `alert_ack`, `alert_unack`, `alert_close` and `alert_note`. */
export function addHandling(methods: Methods, parts: AlertMethodParts): void {
  addAcks(methods, parts);
  addClose(methods, parts);
  addNote(methods, parts);
}

function addAcks(methods: Methods, parts: AlertMethodParts): void {
  const { clock, store } = parts;
  methods.add('alert_ack', {
    summary: 'Acknowledges an open alert: it is not told again, its end still is.',
    addition: true,
    params: {
      id: Id,
      note: noteOf('Note for others.'),
      until: optional(Time('Unix ms at which it ends. Default: when the alert closes.')),
    },
    result: AlertAnswer,
    audit: ({ id }) => String(id),
    right: rightTo('ack'),
    access: onAlert('ack', parts),
    async handle({ id, note, until }, { caller }) {
      if (until && until <= clock.now())
        throw RpcError.invalid('until is past: give a later time, or leave it out');
      const by = nameOf(caller);
      const ack = { by, until: until ?? null, note: note ?? null };
      return changed({ ...parts, caller }, await store.acknowledge(id, ack, by), id);
    },
  });
  methods.add('alert_unack', {
    summary: 'Takes an acknowledgement back.',
    addition: true,
    params: { id: Id },
    result: AlertAnswer,
    audit: ({ id }) => String(id),
    right: rightTo('ack'),
    access: onAlert('ack', parts),
    async handle({ id }, { caller }) {
      return changed({ ...parts, caller }, await store.acknowledge(id, null, nameOf(caller)), id);
    },
  });
}

function addClose(methods: Methods, parts: AlertMethodParts): void {
  methods.add('alert_close', {
    summary: 'Closes an open alert by hand. It opens again when its condition holds.',
    addition: true,
    params: { id: Id, note: noteOf('Reason for closing it.') },
    result: AlertAnswer,
    audit: ({ id }) => String(id),
    right: rightTo('write'),
    access: onAlert('write', parts),
    async handle({ id, note }, { caller }) {
      const alert = await alertOf(parts.store, id);
      if (alert.state < OPEN) throw notOpen(id);
      const detail = { ...alert.detail, ...(note ? { note } : {}) };
      const end = { ...endOf(alert, parts.clock.now()), detail, by: nameOf(caller) };
      const [result] = await parts.transitions.apply([end]);
      if (!result?.made) throw RpcError.other('the alert is being changed by others; try again');
      return changed({ ...parts, caller }, result.alert, id);
    },
  });
}

function addNote(methods: Methods, parts: AlertMethodParts): void {
  methods.add('alert_note', {
    summary: 'Adds a note to the history of an alert.',
    description: `An alert takes at most ${MOST_NOTES} notes each time that it opens.`,
    addition: true,
    params: {
      id: Id,
      text: Text({ minLength: 1, maxLength: 2_000, description: 'The note.' }),
    },
    result: EventAnswer,
    audit: ({ id }) => String(id),
    right: rightTo('ack'),
    access: onAlert('ack', parts),
    async handle({ id, text }, { caller }) {
      const alert = await alertOf(parts.store, id);
      const event = await parts.store.note(alert, nameOf(caller), { text, most: MOST_NOTES });
      if (!event)
        throw RpcError.invalid(`there are ${MOST_NOTES} notes since the alert opened: that is all`);
      const [answer] = await parts.answers.events([event], caller);
      return answer as NonNullable<typeof answer>;
    },
  });
}

async function changed(
  parts: AlertMethodParts & { readonly caller: Principal },
  alert: Alert | undefined,
  id: number,
) {
  if (!alert) throw notOpen(id);
  parts.touched([alert]);
  const [answer] = await parts.answers.alerts([alert], parts.caller);
  return answer as NonNullable<typeof answer>;
}

const notOpen = (id: number) => RpcError.invalid(`the alert ${id} is not open`);
const nameOf = ({ name, id }: CallContext['caller']): string => name ?? id;
