import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../../frame/index.ts';

export type AlertPage = Methods['alert_get']['result'];
/** How one message about an event fared. */
export type Delivery = AlertPage['deliveries'][number];

const EVERY_MS = 10_000;

export function useAlert(id: number) {
  const { call } = useServer();
  return usePoll(`alert ${id}`, () => call('alert_get', { id }), { every_ms: EVERY_MS });
}
