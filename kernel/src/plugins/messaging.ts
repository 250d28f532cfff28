import { type Messaging, PluginError, type Topic } from '@svc/plugin-sdk';
import { Errors } from '@svc/plugin-sdk/typebox';
import type { LocalBus } from '../local-bus.ts';

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
  const check = ({ name, payload: schema }: Topic, payload: unknown) => {
    if (!checkPayloads) return;
    const [wrong] = Errors(schema, payload);
    if (!wrong) return;
    const at = wrong.instancePath || 'payload';
    throw new PluginError(
      plugin,
      `message '${name}' does not fit its topic: ${at} ${wrong.message}`,
    );
  };
  return {
    publish(topic, payload) {
      check(topic, payload);
      bus.publish(topic.name, payload, topic.local);
    },
    subscribe: ({ name }, listener) =>
      own(`topic ${name}`, bus.subscribe(plugin, name, listener as never)),
    bus: {
      id: bus.id,
      send(to, topic, payload) {
        check(topic, payload);
        return bus.send(to, topic.name, payload);
      },
      drained: (to) => bus.drained(to),
      servers: () => bus.servers(),
      watch: (listener) => own('bus events', bus.watch(plugin, listener)),
    },
  };
}
