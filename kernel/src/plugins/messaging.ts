import type { Messaging } from '@svc/plugin-sdk';
import { misfit, PluginError, type Topic } from '@svc/plugin-sdk/kernel';
import type { LocalBus } from '../local-bus.ts';
import { inNameOf } from './running.ts';

interface MessagingOptions {
  readonly plugin: string;
  readonly bus: LocalBus;
  /** Refuses payloads that do not fit their topic's schema: for tests. */
  readonly checkPayloads: boolean;
  /** Keeps an undo until the plugin ends. @returns the undo to call */
  readonly own: (label: string, undo: () => void) => () => void;
}

/** Typed topics over the bus, in the name of one plugin. */
export function messagingOf({ plugin, bus, checkPayloads, own }: MessagingOptions): Messaging {
  const check = (topic: Topic, payload: unknown) => {
    const wrong = checkPayloads ? misfit(topic, payload) : undefined;
    if (wrong !== undefined) throw new PluginError(plugin, wrong);
  };
  return {
    publish(topic, payload) {
      check(topic, payload);
      bus.publish(topic.name, payload, topic.local);
    },
    subscribe: ({ name }, listener) =>
      own(
        `topic ${name}`,
        bus.subscribe(plugin, name, (payload, from) =>
          inNameOf(plugin, () => listener(payload as never, from)),
        ),
      ),
    bus: {
      id: bus.id,
      send(to, topic, payload) {
        check(topic, payload);
        return bus.send(to, topic.name, payload);
      },
      drained: (to) => bus.drained(to),
      servers: () => bus.servers(),
      connected: () => bus.connected(),
      watch: (listener) => own('bus events', bus.watch(plugin, listener)),
    },
  };
}
