import { Refusals } from '@svc/plugin-admission/api';
import { Audit } from '@svc/plugin-audit/api';
import {
  ConfigurationFile,
  definePlugin,
  Holdings,
  type Kernel,
  LogSinks,
  reload,
} from '@svc/plugin-sdk';
import { Owners, Passes, SuperTokenCreated, Tokens } from './api.ts';
import { rollCommand } from './commands/roll-super-token.ts';
import { type Components, createComponents } from './components.ts';
import { config, type TokenConfig } from './config.ts';
import { examples } from './examples.ts';
import { addMethods } from './methods/index.ts';
import { migrations } from './migrations/index.ts';
import { protocolKinds } from './permissions.ts';
import { FIRST_START, newSuperToken, ROLL_COMMAND, superLines } from './records/super-token.ts';
import { authorize, createTokens } from './rights/authorize.ts';

const WATCH_MS = 1_000;
const SWEEP_MS = 60_000;
const FORGET_MS = 6 * 3_600_000;

/** Credentials, permissions and the namespace `token` (auth.md, token.md). */
export default definePlugin({
  name: 'token',
  examples,
  namespaces: ['token', 'session'],
  brings: ['admission'],
  optional: [Audit, Refusals],
  provides: [Tokens, Owners, Passes, Holdings, SuperTokenCreated],
  config: reload(config),
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
    const components = createComponents(kernel);
    const make = () => newSuperToken(kernel.brand.salt, components.hashPassword);
    kernel.provide(Tokens, createTokens(components));
    kernel.provide(Owners, components.owners);
    kernel.provide(Passes, components.passes);
    kernel.provide(Holdings, components.holdings);
    hooks.methods.tap((methods) => addMethods(methods, components, kernel.methods));
    hooks.commands.tap((commands) => commands.add(rollCommand(components.store, make)));
    hooks.authenticate.tap((credential, origin) => {
      const overdue = components.refresh.overdue();
      if (!overdue) return components.login.authenticate(credential, origin);
      return overdue.then(() => components.login.authenticate(credential, origin));
    });
    hooks.authorize.tap(authorize);
    hooks.prepare.tap(async () => {
      for (const plugin of [protocolKinds, ...kernel.plugins]) components.vocabulary.addAll(plugin);
      await createSuper(kernel, components);
      // Subscribe before the first read, so that no change in between is missed.
      components.refresh.listen();
      components.locations.listen();
      await components.refresh.load();
    });
    hooks.start.tap(() => {
      kernel.every('token watch', WATCH_MS, () => components.refresh.poll());
      // No message announces that a parent expires.
      kernel.every('streams of children', WATCH_MS, () => {
        if (kernel.config.on_delete !== 'suspend') return;
        for (const key of components.records.expiredChildren()) kernel.auth.changed(key);
      });
      kernel.every('token places', WATCH_MS, () => components.locations.save());
      kernel.every('uses of sessions', WATCH_MS, () => components.sessions.save());
      kernel.every('ended sessions', SWEEP_MS, () => components.sessions.sweep());
      kernel.every('ended passes', SWEEP_MS, () => components.passes.sweep());
      kernel.every('older servers', WATCH_MS, () => components.upgrade.pollServers());
      kernel.every('old token places', FORGET_MS, async () => {
        components.login.startPeriod();
        await components.locations.forgetOld();
      });
    });
    hooks.reload.tap(async () => {
      await components.refresh.reloadAll();
      components.records.endOrphans();
    });
  },
});

/** Creates the Super Token. The primary key decides, so that servers may start at once; the clear values are shown once (auth.md §4). */
async function createSuper(kernel: Kernel<TokenConfig>, components: Components): Promise<void> {
  const log = kernel.log.target('server');
  const lost = `${ROLL_COMMAND} -c ${kernel.useOptional(ConfigurationFile)?.path ?? 'FILE'}`;
  const isThere = await components.store.hasSuper();
  const made = isThere
    ? undefined
    : await newSuperToken(kernel.brand.salt, components.hashPassword);
  if (made && (await components.store.insertSuper(made.record))) {
    log.info(FIRST_START, { when_lost: lost });
    for (const line of superLines(made)) kernel.useOptional(LogSinks)?.announce(line);
    kernel.useOptional(Audit)?.record({ method: 'first start', target: made.record.token_key });
    kernel.provide(SuperTokenCreated, { token: made.token, password: made.password });
  } else {
    log.info('Super Token already exists, skipped', { when_lost: lost });
  }
}
