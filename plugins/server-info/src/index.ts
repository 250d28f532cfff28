import { Refusals } from '@svc/plugin-admission/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import {
  ConfigurationFile,
  definePlugin,
  fileOnly,
  LAST,
  LogSinks,
  reload,
  Type,
} from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { versionFacts, versionLines } from './build-facts.ts';
import { openConfigFile } from './config-file.ts';
import { examples } from './examples.ts';
import { GuardedSql, guardsOf } from './guarded-sql.ts';
import { addAgentMethod } from './methods/agents.ts';
import { addConfigMethods } from './methods/config.ts';
import { addInfoMethods } from './methods/info.ts';
import { addLogMethods } from './methods/logs.ts';
import { addPluginsMethod } from './methods/plugins.ts';
import { addSqlMethods } from './methods/sql.ts';
import { addStorageMethod } from './methods/storage.ts';
import { addUpdateMethod } from './methods/update.ts';
import { answerPage } from './page.ts';
import { serverWords } from './permissions.ts';
import { answerIcon, createProbes } from './probes.ts';
import { refusalOf } from './refusal.ts';

/** Everything about the server itself: namespace `svc-server` and the page of `GET /`. */
export default definePlugin({
  name: 'server-info',
  examples,
  logTarget: 'server',
  namespaces: ['svc-server'],
  about: versionLines,
  requires: [ConfigurationFile, LogSinks],
  optional: [AgentRegistry, Refusals, Tokens],
  config: Type.Object({
    exec_sql_timeout_ms: reload(
      Type.Integer({
        minimum: 1,
        maximum: 2 ** 31 - 1,
        default: 30_000,
        description: 'A statement of `svc-server_exec_sql` is ended after this.',
      }),
    ),
    exec_sql_secret_tables: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'More tables that `svc-server_exec_sql` opens to the Super Token only, for example `kv`.',
    }),
    exec_sql_vacuum_folder: reload(
      fileOnly(
        Type.Optional(
          Type.String({
            minLength: 1,
            description:
              'Folder in which `VACUUM INTO` of the Super Token may make files; absent: nowhere.',
          }),
        ),
      ),
    ),
  }),
  rootConfig: reload(
    Type.Object({
      allowed_paths: fileOnly(
        Type.Array(Type.String({ minLength: 1 }), {
          default: [],
          description: 'Without effect since 0.9: no path changes over the wire any more.',
        }),
      ),
    }),
  ),
  // The ledger of migrations: a row less, and a step would run twice.
  guards: { schema_migrations: 'fixed' },
  seals: ['schema_migrations'],
  permissions: { svc: { words: serverWords } },

  async setup(kernel) {
    const { brand, config, db, hooks, log, server, signal } = kernel;
    const version = await versionFacts(server.version);
    const file = openConfigFile(
      kernel.use(ConfigurationFile),
      server.uuid,
      log.target('config'),
      signal,
    );

    const sql = new GuardedSql(db);
    hooks.start.tap(() =>
      sql.open(guardsOf(kernel.plugins, config.exec_sql_secret_tables), log.target('db')),
    );

    hooks.methods.tap((methods) => {
      addInfoMethods(methods, server, brand.title, version);
      addAgentMethod(methods, {
        brand,
        agents: kernel.useOptional(AgentRegistry),
        tokens: kernel.useOptional(Tokens),
      });
      addConfigMethods(methods, file);
      addPluginsMethod(methods, kernel, brand.rewrite);
      addStorageMethod(methods, db);
      addLogMethods(methods, kernel.use(LogSinks));
      addUpdateMethod(methods, server.version);
      addSqlMethods(methods, {
        db,
        runner: sql.runner,
        publish: kernel.publish,
        brand,
        timeout_ms: () => config.exec_sql_timeout_ms,
        vacuumFolder: () => config.exec_sql_vacuum_folder,
        maxBytes: server.maxResponseBytes,
      });
    });

    hooks.settled.tap(({ method, address }, { error }) => {
      const reason = error && refusalOf(method, error, brand);
      if (reason) kernel.useOptional(Refusals)?.refused(reason, address);
    });
    hooks.request.tap(createProbes(kernel));
    // After a root bucket (LATE), before JSON-RPC (LAST).
    hooks.request.tap(answerIcon, { stage: LAST - 1 });
    hooks.request.tap(
      (exchange) => answerPage(exchange, brand, { uuid: server.uuid(), version: server.version }),
      { stage: LAST - 1 },
    );
  },
});
