import { Egress } from '@svc/plugin-egress/api';
import { Metrics } from '@svc/plugin-metrics/api';
import { Turn } from '@svc/plugin-retention/api';
import {
  countingIn,
  DatabaseChanged,
  definePlugin,
  Holdings,
  type Kernel,
  type Methods,
  Type,
  topic,
} from '@svc/plugin-sdk';
import { Owners } from '@svc/plugin-token/api';
import { ChannelChanged, Notify, Secrets } from './api.ts';
import { Changes } from './changes.ts';
import { type Config, config } from './config.ts';
import { Deliveries } from './delivery/index.ts';
import { examine } from './examine.ts';
import { examples } from './examples.ts';
import { channelsHeld, KIND, textsHeld } from './held.ts';
import { Keys, keyPath } from './keys.ts';
import { addChannelMethods } from './methods/channels.ts';
import { addMessageMethods } from './methods/messages.ts';
import { families, SendCounts } from './metrics.ts';
import { migrations } from './migrations/index.ts';
import { checkPublicUrl } from './page-url.ts';
import { permissions, scopes } from './permissions.ts';
import { Sender, TURN_MS } from './sender/index.ts';
import { Limits } from './sender/limits.ts';
import { openNotify, openSecrets } from './service.ts';
import { ChannelStore } from './store/channels.ts';
import { CleaningStore } from './store/cleaning.ts';
import { OutboxStore } from './store/outbox.ts';
import { StateStore } from './store/state.ts';
import { Statements } from './store/statements.ts';
import { warningsOf } from './warnings.ts';

const TURN = { table: 'notify_state', holder: 'holder', row: 'id = 1', lasts_ms: TURN_MS };

/** Messages were added that are due now. */
const Due = topic('notify.due', Type.Object({}));

/** Channels to people, and the outbox of what is sent to them: namespace `channel`. */
export default definePlugin({
  name: 'notify',
  namespaces: ['channel'],
  requires: [Owners, Egress, Holdings],
  optional: [Metrics],
  provides: [Notify, Secrets],
  brings: ['egress'],
  config,
  permissions,
  scopes,
  migrations,
  examples,
  // A row of the outbox says which machine has which fault.
  guards: { channel: 'secret', notify_outbox: 'secret', notify_state: 'fixed' },
  examine,

  setup(kernel) {
    const { config: settings, hooks, log } = kernel;
    checkPublicUrl(settings.public_url);
    hooks.reload.tap(() => checkPublicUrl(settings.public_url));
    const parts = partsOf(kernel);
    const { channels, counts, keys, sender } = parts;
    kernel.provide(Notify, openNotify(parts));
    kernel.provide(Secrets, openSecrets(keys, parts.state));
    kernel.useOptional(Metrics)?.add(
      ...families(
        counts,
        () => sender.depth,
        () => kernel.clock.now(),
      ),
    );
    hooks.methods.tap((methods) => addMethods(methods, kernel, parts));
    hooks.prepare.tap(() => {
      const list = (owner: string) => channels.ownedBy(owner);
      kernel.use(Owners).register({ kind: KIND, list });
      kernel.use(Holdings).register(channelsHeld(kernel.config));
      kernel.use(Holdings).register(textsHeld);
    });
    hooks.start.tap(async () => {
      const warning = await keys.open();
      if (warning !== undefined) log.warn(warning);
      sender.start();
      kernel.subscribe(Due, () => sender.look());
      kernel.subscribe(DatabaseChanged, () => sender.look());
    });
    hooks.reload.tap(() => parts.clients.public.change(publicRules(kernel.config)));
    hooks.warnings.tap(async (found) => {
      found.push(...(await warningsOf(kernel, parts)));
    });
    hooks.stop.tap(() => sender.end());
  },
});

type Parts = ReturnType<typeof partsOf>;

function partsOf(kernel: Kernel<Config>) {
  const { clock, log } = kernel;
  const on = new Statements(kernel.db);
  const turn = new Turn(kernel.db, TURN);
  const state = new StateStore(on);
  const channels = new ChannelStore(on, countingIn(kernel));
  const outbox = new OutboxStore(on, turn.holder);
  const owners = kernel.use(Owners);
  const keys = new Keys(keyPath(kernel), state);
  const egress = kernel.use(Egress);
  const clients = {
    all: egress.open({ ...rules, allow: ['*'] }),
    public: egress.open(publicRules(kernel.config)),
  };
  const deliveries = new Deliveries({ kernel, owners, clients });
  const counts = new SendCounts();
  const changed = (name: string, failing: boolean) =>
    kernel.publish(ChannelChanged, { name, failing });
  const limits = new Limits(() => kernel.config.max_per_minute);
  const common = { kernel, clock, log, owners, keys, channels, outbox, deliveries, changed };
  const counted = counts.count.bind(counts);
  const sender = new Sender({ ...common, turn, limits, counted, cleaning: new CleaningStore(on) });
  const changes = new Changes(common);
  const wake = () => kernel.publish(Due, {});
  return { ...common, clients, counts, state, changes, sender, wake };
}

const rules = { connect_ms: 5_000, idle_ms: 10_000, max_bytes: 131_072 };
const publicRules = ({ allow_private }: Config) => ({
  ...rules,
  allow: allow_private,
  key: 'allow_private under [notify]',
});

function addMethods(methods: Methods, kernel: Kernel<Config>, parts: Parts): void {
  const { auth, brand } = kernel;
  const counting = countingIn(kernel);
  addChannelMethods(methods, { ...parts, auth });
  addMessageMethods(methods, { ...parts, auth, counting, brand: brand.word });
}
