import { Refusals } from '@svc/plugin-admission/api';
import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Audit } from '@svc/plugin-audit/api';
import {
  ConfigurationFile,
  canonicalUuid,
  countingIn,
  definePlugin,
  Holdings,
  type Hooks,
  reload,
} from '@svc/plugin-sdk';
import { FileServer } from '@svc/plugin-sdk/http';
import { AttemptThrottle, Owners } from '@svc/plugin-token/api';
import { allowCommand } from './commands/allow.ts';
import { enrolCommand } from './commands/enrol.ts';
import { fetchCommand } from './commands/fetch.ts';
import { signingKeyCommand } from './commands/signing-key.ts';
import { Enrolment } from './enrolment.ts';
import { examples } from './examples.ts';
import { Digests } from './files.ts';
import { codesHeld } from './held.ts';
import { Signer } from './manifest.ts';
import { addMethods } from './methods.ts';
import { migrations } from './migrations/index.ts';
import { PendingMachines } from './pending.ts';
import { Place } from './place.ts';
import { addRoutes } from './routes.ts';
import { Runtimes } from './runtimes.ts';
import { settings } from './settings.ts';
import { keyIn, shippedManifest } from './shipped.ts';
import { fingerprintOf, keyFile, SigningKeys } from './signing-key.ts';
import { Store } from './store.ts';

const SWEEP_MS = 60_000;

/** One line per machine: codes, the installer, and what it downloads (docs/protocol/enrol.md). */
export default definePlugin({
  name: 'enrol',
  namespaces: ['enrol'],
  requires: [ConfigurationFile, Owners, Holdings],
  optional: [AgentRegistry, Audit, Refusals],
  config: reload(settings),
  migrations,
  examples,
  guards: { enrol_code: 'secret', enrol_pending: 'fixed' },

  setup(kernel) {
    const { clock, config, db, hooks, log } = kernel;
    const store = new Store(db, countingIn(kernel));
    const place = new Place(kernel);
    const keys = new SigningKeys(() => keyFile(place.file), log);
    const fingerprint = async () => {
      const shipped = await shippedManifest();
      return shipped === undefined ? keys.fingerprint() : fingerprintOf(keyIn(shipped));
    };
    const digests = new Digests();
    const runtimes = new Runtimes(() => config.runtime_path, digests);
    hooks.methods.tap((methods) => addMethods(methods, { kernel, store, place, fingerprint }));
    const pending = new PendingMachines(kernel);
    const enrolment = new Enrolment(kernel, store, pending);
    hooks.settled.tap(({ method, params, caller, transport }, { error }) => {
      if (error || transport === 'internal') return;
      if (caller.id !== '') void enrolment.called(caller.id);
      if (method === 'task_register_task') void enrolment.connected(agentIn(params));
    });
    hooks.prepare.tap(() => {
      kernel.use(Holdings).register(codesHeld(config));
      kernel.useOptional(AgentRegistry)?.checkFirst((on, agents) => pending.reported(on, agents));
    });
    hooks.start.tap(() => {
      if (pending.areKept)
        kernel.every('machines that never came', SWEEP_MS, () => enrolment.sweep());
    });
    hooks.routes.tap((routes) => {
      const throttle = new AttemptThrottle(kernel, {
        refusal: 'wrong enrolment code',
        message: 'enrolment refused',
      });
      const server = new FileServer({ clock, log });
      const signer = new Signer(keys, clock);
      const parts = { kernel, server, place, enrolment, digests, runtimes, throttle };
      addRoutes(routes, { ...parts, fingerprint, signer });
    });
    hooks.commands.tap((commands) => {
      commands.add(enrolCommand(place));
      commands.add(allowCommand);
      commands.add(signingKeyCommand(() => keyFile(place.file)));
      commands.add(fetchCommand(() => config.runtime_path));
    });
    hooks.ready.tap(({ url }) => place.listening(url));
    makeKeyEarly(hooks, fingerprint);
    hooks.reload.tap(() => place.forget());
  },
});

/** Makes the signing key as the user of the server, not as the user who types the first command. A problem with it is logged. */
function makeKeyEarly(hooks: Hooks, fingerprint: () => Promise<string>): void {
  let making: Promise<void> | undefined;
  hooks.ready.tap(() => {
    making = fingerprint().then(
      () => {},
      () => {},
    );
  });
  hooks.stop.tap(async () => making);
}

/** UUID in `[token, uuid]`, or in the members by name; in any spelling that the method takes. */
const agentIn = (params: unknown): string =>
  canonicalUuid(
    String((Array.isArray(params) ? params[1] : (params as { uuid?: unknown })?.uuid) ?? ''),
  );
