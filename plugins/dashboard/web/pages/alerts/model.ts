import type { Methods } from '@svc/client';
import { seesAlerts, usePoll, useServer } from '../../frame/index.ts';
import type { Rule } from '../../parts/alert/index.ts';
import { toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export type Channel = Methods['channel_list']['result'][number];
export type Kind = Methods['channel_kinds']['result'][number];
export type Policy = Methods['alert_policy_list']['result'][number];
export type NewRule = Methods['alert_rule_create']['params']['rule'];
export type Scope = NewRule['scope'];
export type Source = Rule['source'];

const EVERY_MS = 15_000;
/** Policy of rules that name none. */
export const DEFAULT = 'default';

export function useRules() {
  const { call } = useServer();
  return usePoll('alert rules', () => call('alert_rule_list'), { every_ms: EVERY_MS });
}

export function useChannels() {
  const { call } = useServer();
  return usePoll('channels', () => call('channel_list'), { every_ms: EVERY_MS });
}

/** The policies; none for a token that may read channels alone. */
export function usePolicies() {
  const server = useServer();
  const sees = seesAlerts(server);
  return usePoll(`policies ${sees}`, async () =>
    sees ? server.call('alert_policy_list') : ([] as readonly Policy[]),
  );
}

/** Policy that a rule is told by. */
export const policyOf = ({ policy }: Pick<Rule, 'policy'>): string => policy ?? DEFAULT;

/** Acknowledges, gives back, or closes an alert. */
export function useAlertWork(id: number, onDone: () => void = () => {}) {
  const { call } = useServer();
  const done = (text: string) => {
    toast(text);
    onDone();
  };
  return {
    acknowledge: async (note: string) => {
      await call('alert_ack', { id, ...(note.trim() !== '' && { note: note.trim() }) });
      done(t.alerts.acked);
    },
    giveBack: async () => {
      await call('alert_unack', { id });
      done(t.alerts.unacked);
    },
    close: async (note: string) => {
      await call('alert_close', { id, ...(note.trim() !== '' && { note: note.trim() }) });
      done(t.alerts.closed);
    },
    addNote: async (text: string) => {
      await call('alert_note', { id, text: text.trim() });
      onDone();
    },
  };
}
