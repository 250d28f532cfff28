import { Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import { ConfigurationFile, definePlugin, Holdings, type Kernel, LogSinks } from '@svc/plugin-sdk';
import { Owners, Passes, SuperTokenCreated, Tokens } from './api.ts';
import { rollCommand } from './commands/roll-super-token.ts';
import { createParts, type Parts } from './components.ts';
import { config, type TokenConfig } from './config.ts';
import { examples } from './examples.ts';
import { addMethods } from './methods/index.ts';
import { migrations } from './migrations/index.ts';
import { protocolKinds } from './permissions.ts';
import { FIRST_START, makeSuper, ROLL, superLines } from './records/super-token.ts';
import { authorize, createTokens } from './rights/authorize.ts';

const WATCH_MS = 1_000;
const SWEEP_MS = 60_000;
const FORGET_MS = 6 * 3_600_000;

/** Credentials, permissions and the namespace `token` (auth.md, token.md). */
export default definePlugin({
  name: 'token',
  version: '0.9.0',
  examples,
  namespaces: ['token', 'session'],
  brings: ['admission'],
  optional: [Audit, Refusals],
  provides: [Tokens, Owners, Passes, Holdings, SuperTokenCreated],
  config,
  reloadable: Object.keys(config.properties),
  migrations,
  guards: {
    token: 'secret',
    token_gone: 'secret',
    token_place: 'secret',
    token_session: 'secret',
    token_pass: 'secret',
  },
  seals: ['token', 'token_gone', 'token_place', 'token_session', 'token_pass'],

  setup(kernel) {
    const { hooks } = kernel;
    const parts = createParts(kernel);
    const make = () => makeSuper(kernel.brand.salt, parts.hashPassword);
    kernel.provide(Tokens, createTokens(parts));
    kernel.provide(Owners, parts.owners);
    kernel.provide(Passes, parts.passes);
    kernel.provide(Holdings, parts.holdings);
    hooks.methods.tap((methods) => addMethods(methods, parts, kernel.methods));
    hooks.commands.tap((commands) => commands.add(rollCommand(parts.store, make)));
    hooks.authenticate.tap((credential, origin) => {
      const overdue = parts.refresh.overdue();
      if (!overdue) return parts.login.authenticate(credential, origin);
      return overdue.then(() => parts.login.authenticate(credential, origin));
    });
    hooks.authorize.tap(authorize);
    hooks.prepare.tap(async () => {
      for (const plugin of [protocolKinds, ...kernel.plugins]) parts.vocabulary.addAll(plugin);
      await createSuper(kernel, parts);
      // Before anything is read: what changes meanwhile is heard of.
      parts.refresh.listen();
      parts.places.listen();
      await parts.refresh.load();
    });
    hooks.start.tap(() => {
      kernel.every('token watch', WATCH_MS, () => parts.refresh.watch());
      // A parent that expires tells nobody.
      kernel.every('streams of children', WATCH_MS, () => {
        if (kernel.config.on_delete !== 'suspend') return;
        for (const key of parts.records.lateChildren()) kernel.auth.changed(key);
      });
      kernel.every('token places', WATCH_MS, () => parts.places.save());
      kernel.every('uses of sessions', WATCH_MS, () => parts.sessions.save());
      kernel.every('ended sessions', SWEEP_MS, () => parts.sessions.sweep());
      kernel.every('ended passes', SWEEP_MS, () => parts.passes.sweep());
      kernel.every('older servers', WATCH_MS, () => parts.upgrade.look());
      kernel.every('old token places', FORGET_MS, async () => {
        parts.login.noteAgain();
        await parts.places.forgetOld();
      });
    });
    hooks.reload.tap(async () => {
      await parts.refresh.all();
      parts.records.endOrphans();
    });
  },
});

/** Decided by the primary key, so that servers may start at once; the clear values are shown once (auth.md §4). */
async function createSuper(kernel: Kernel<TokenConfig>, parts: Parts): Promise<void> {
  const log = kernel.log.target('server');
  const lost = `${ROLL} -c ${kernel.useOptional(ConfigurationFile)?.path ?? 'FILE'}`;
  const isThere = await parts.store.hasSuper();
  const made = isThere ? undefined : await makeSuper(kernel.brand.salt, parts.hashPassword);
  if (made && (await parts.store.insertSuper(made.record))) {
    log.info(FIRST_START, { when_lost: lost });
    for (const line of superLines(made)) kernel.useOptional(LogSinks)?.announce(line);
    kernel.useOptional(Audit)?.record({ method: 'first start', target: made.record.token_key });
    kernel.provide(SuperTokenCreated, { token: made.token, password: made.password });
  } else {
    log.info('Super Token already exists, skipped', { when_lost: lost });
  }
}
