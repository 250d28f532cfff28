import { randomUUID } from 'node:crypto';
import type { Bus, Logger } from '@svc/plugin-sdk';

type Listener = Parameters<Bus['subscribe']>[1];

/** The bus of a server that is alone on its database: messages are delivered to this process, after the current turn. */
export function createLocalBus(log: Logger): Bus {
  const id = randomUUID();
  const topics = new Map<string, Set<Listener>>();
  return {
    id,
    publish(topic, payload) {
      for (const listener of topics.get(topic) ?? []) {
        queueMicrotask(() => {
          try {
            listener(payload, { id, own: true });
          } catch (error) {
            log.error('bus listener failed', { topic, error });
          }
        });
      }
    },
    subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
