import { type LogSinks, type Methods, RpcError, superOnly, Type } from '@svc/plugin-sdk';
import { type Delivery, LogFeed } from '../log-feed.ts';
import { superToken } from '../permissions.ts';
import { LogEntry } from '../schemas.ts';

/** `log` and `stream_log`. */
export function addLogMethods(methods: Methods, sinks: LogSinks): void {
  const delivery: Delivery = { active: false };

  methods.add('svc-server_log', {
    summary: 'The records of the memory ring, oldest first.',
    params: {},
    result: Type.Array(LogEntry),
    access: superToken,
    handle: () => sinks.recent(),
  });

  methods.addSubscription('svc-server_stream_log', {
    summary: 'New log records that pass a filter of the form `target=level,level`.',
    unsubscribe: 'svc-server_unsubscribe_stream_log',
    params: {
      log_filter: Type.String({
        description: 'Invalid directives are ignored; the default level is off.',
      }),
    },
    item: LogEntry,
    access: superOnly('Permission Denied: Super token required'),
    malformed: (reason) => new RpcError(101, `Token Parse Error: ${reason}`),
    mapError: bareText,
    open({ log_filter }, { peer }, push) {
      const outlet = { push, isCongested: push.isCongested, drained: () => peer.drained() };
      const feed = new LogFeed(outlet, delivery);
      return sinks.stream(log_filter, (record) => feed.add(record));
    },
  });
}

/** The rejections of a subscription carry their text without the prefix (conventions.md §5.1). */
function bareText(error: RpcError): RpcError {
  if (error.code === 101) return error;
  if (error.code === 102)
    return new RpcError(102, error.message.replace(/^Permission denied: /, ''));
  return new RpcError(102, `Permission check failed: ${error.message}`);
}
