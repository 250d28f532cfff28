import { Egress } from '@svc/plugin-egress/api';
import { type Family, Metrics } from '@svc/plugin-metrics/api';
import { definePlugin, fileOnly, type Kernel, reload, type Static, Type } from '@svc/plugin-sdk';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { Audit } from './api.ts';
import { acceptCommand, exportCommand, verifyCommand } from './commands.ts';
import { examples } from './examples.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { permissions } from './permissions.ts';
import { SyslogOutlet } from './syslog.ts';
import { Trail } from './trail.ts';

const MINUTE_MS = 60_000;
const ROUND_MS = 5 * MINUTE_MS;

const config = Type.Object({
  keep_days: reload(
    Type.Number({
      minimum: 0,
      maximum: 36_500,
      default: 400,
      description: 'Days that a segment is kept after it was closed; 0: for ever.',
    }),
  ),
  max_mb: reload(
    Type.Number({
      minimum: 1,
      maximum: 1_000_000,
      default: 256,
      description: 'MB that the rows may take; the oldest segments go first.',
    }),
  ),
  syslog: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Receiver of every row (RFC 5424): `tcp://HOST:PORT` or `tls://HOST:PORT`; absent: none.',
    }),
  ),
  syslog_ca: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'File (PEM) with the authority of the receiver; absent: the public ones.',
    }),
  ),
  end_file: fileOnly(
    Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'File in which the end of the chain is kept, too; absent: `audit.end` beside the configuration.',
      }),
    ),
  ),
});

type Settings = Static<typeof config>;

const families = (outlet: SyslogOutlet): readonly Family[] => [
  {
    name: 'audit_syslog_sent',
    type: 'counter',
    help: 'Rows of the audit that were sent to syslog, repeated ones included.',
    read: () => [{ value: outlet.sent }],
  },
  {
    name: 'audit_syslog_lost',
    type: 'counter',
    help: 'Rows of the audit that were removed by retention before syslog took them.',
    read: () => [{ value: outlet.lost }],
  },
];

const keyAdvice = (problem: string): ConfigWarning => ({
  kind: 'advice',
  message: `the audit is signed with a key that ends with this start, so each start begins a chain of its own: ${problem}; make the folder of the configuration writable, or put a key there (plugins/audit/README.md)`,
});

const endAdvice = (problem: string): ConfigWarning => ({
  kind: 'advice',
  message: `the end of the audit stands in the database alone (${problem}): let the server write the file, or name another one in [audit] end_file`,
});

const syslogAdvice = (problem: string): ConfigWarning => ({
  kind: 'advice',
  key: 'audit.syslog',
  message: `the audit does not reach syslog (${problem}): its rows wait in the table; look at the receiver before retention removes them`,
});

/** Creates the outlet in the setup, so that a receiver that cannot be used ends a start before the database is touched. @throws UserError */
const outletOf = (kernel: Kernel<Settings>, trail: Trail): SyslogOutlet | undefined =>
  kernel.config.syslog === undefined
    ? undefined
    : new SyslogOutlet(kernel, kernel.config, { store: trail.store, chain: () => trail.chain() });

function startOutlet(outlet: SyslogOutlet, kernel: Kernel<Settings>, trail: Trail): void {
  kernel.useOptional(Metrics)?.add(...families(outlet));
  trail.appended = () => outlet.wake();
  kernel.defer('syslog', async () => {
    await trail.stop();
    await outlet.stop();
  });
  outlet.start();
}

/** Record of changes in a tamper-evident table: tables `audit`, `audit_chain`, `audit_checkpoint`. */
export default definePlugin({
  name: 'audit',
  examples,
  namespaces: ['audit'],
  optional: [Egress, Metrics],
  provides: [Audit],
  // Anyone who shortens it makes the server forget what was done.
  config: fileOnly(config),
  permissions,
  migrations,
  guards: { audit: 'secret', audit_chain: 'fixed', audit_checkpoint: 'fixed' },
  seals: ['audit', 'audit_chain', 'audit_checkpoint'],

  async examine(kernel) {
    const { examine } = await import('./examine.ts');
    return examine(new Trail(kernel));
  },

  setup(kernel) {
    const { every, hooks, server, signal } = kernel;
    const trail = new Trail(kernel);
    const { store } = trail;
    kernel.provide(Audit, trail);
    kernel.defer('audit', () => trail.stop());

    // Reports pass here too: they cost one property read.
    hooks.settled.tap((call, outcome) => {
      if (call.target) trail.settled(call, outcome);
    });
    hooks.vouched.tap((connection, caller, origin) => {
      if (caller.id !== '') trail.accepted(connection, caller, origin);
    });
    hooks.methods.tap((methods) => {
      const settled = () => trail.readable();
      addMethods(methods, { store, own: () => trail.own(), settled, stopping: signal });
    });
    hooks.commands.tap((commands) => {
      commands.add(exportCommand(store));
      commands.add(acceptCommand(() => trail.accept()));
      commands.add(verifyCommand(store, () => trail.ownOfFile()));
    });
    const outlet = outletOf(kernel, trail);
    let serves = false;
    hooks.start.tap(async () => {
      serves = true;
      await trail.remember();
      trail.record({ method: 'start', target: server.version });
      if (outlet) startOutlet(outlet, kernel, trail);
      every('audit counts', MINUTE_MS, () => trail.minute());
      every('audit segments', ROUND_MS, () => trail.round());
    });
    hooks.reload.tap(({ needRestart }) => {
      trail.record({ method: 'reload', target: needRestart.join(', ') });
    });
    hooks.warnings.tap((found) => {
      if (trail.problem !== undefined) found.push(keyAdvice(trail.problem));
      if (trail.endProblem !== undefined) found.push(endAdvice(trail.endProblem));
      if (outlet?.problem !== undefined) found.push(syslogAdvice(outlet.problem));
    });
    hooks.stop.tap((reason) => {
      if (serves) trail.record({ method: 'stop', target: reason });
    });
  },
});
