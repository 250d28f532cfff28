import { AgentList } from '@svc/plugin-agent-uuid/api';
import { definePlugin, reload, Type } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { openAgentValues, tellNames } from './agent-names.ts';
import { AgentValues, RetentionLimits } from './api.ts';
import { examples } from './examples.ts';
import { createKv } from './kv.ts';
import { addMultiMethod } from './methods/multi.ts';
import { addNamespaceMethods } from './methods/namespaces.ts';
import { addValueMethods } from './methods/values.ts';
import { migrations } from './migrations/index.ts';
import { createRetention } from './retention.ts';
import { warnOfLimits } from './warnings.ts';

const config = Type.Object({
  max_value_bytes: reload(
    Type.Integer({
      minimum: 1,
      default: 10_485_760,
      description: 'Longest JSON text of one value.',
    }),
  ),
  max_items: reload(
    Type.Integer({
      minimum: 1,
      default: 100_000,
      description: 'Items of one `kv_get_multi_value` at most; more than 100000 count as 100000.',
    }),
  ),
  max_namespace_bytes: reload(
    Type.Integer({
      minimum: 0,
      default: 1_073_741_824,
      description: 'Bytes of the keys and values of one namespace; 0: no limit.',
    }),
  ),
  retention: reload(
    Type.Boolean({
      default: true,
      description: 'Delete rows older than the keys `database_limit_*` say.',
    }),
  ),
  retention_interval_ms: Type.Integer({
    minimum: 1_000,
    maximum: 2 ** 31 - 1,
    default: 300_000,
    description: 'Time between two rounds of deletion.',
  }),
});

/** Key-value store: namespace `kv`, table `kv`, service `RetentionLimits` (kv.md). */
export default definePlugin({
  name: 'kv',
  examples,
  namespaces: ['kv'],
  requires: [Tokens],
  optional: [AgentList],
  provides: [RetentionLimits, AgentValues],
  config,
  migrations,
  guards: { kv: 'data', kv_usage: 'counter' },
  permissions: {
    kv: {
      words: ['list_all_namespace', 'list_all_keys'],
      patterns: ['read', 'write', 'delete'],
    },
  },
  scopes: { kv_namespace: 'exact' },

  setup(kernel) {
    const { hooks } = kernel;
    const kv = createKv(kernel);
    const retention = createRetention(kernel, (signal) => kv.reads.limits(signal));
    kernel.provide(RetentionLimits, retention);
    kernel.provide(AgentValues, openAgentValues(kv.reads));
    tellNames(kernel, kv.reads);
    warnOfLimits(kernel, kv.reads, retention.isUsed);
    hooks.methods.tap((methods) => {
      addNamespaceMethods(methods, kv);
      addValueMethods(methods, kv);
      addMultiMethod(methods, kv);
    });
  },
});
