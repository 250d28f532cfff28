import type { Call, Hooks, Methods, Outcome, Principal, Requirement } from '@svc/plugin-sdk';
import type { Connection, Exchange, Origin, Receipt, Routes, Upgrade } from '@svc/plugin-sdk/http';
import type {
  BusRequest,
  Commands,
  ConfigWarning,
  Incoming,
  Listening,
  Reading,
  Reload,
  RemoteBus,
  Wait,
} from '@svc/plugin-sdk/kernel';
import type { DatabaseHandle, DatabaseRequest, Migrations } from '@svc/plugin-sdk/sql';
import { AsyncSeriesBailHook, AsyncSeriesHook, SyncBailHook, SyncHook } from 'tapable';
import { Registration } from './plugins/registration.ts';

interface Definition<H> {
  readonly make: () => H;
  /** `registration`: see `Registration`. `sync`: no tap waits. `async`: a tap may answer with a promise. */
  readonly kind: 'registration' | 'sync' | 'async';
  /**
   * `step`: a tap is a step of the start or a reload, with a deadline, and the log has its time. `end`: a tap that fails or
   * takes too long is logged, and the next one runs. Absent: the server waits for as long as a tap takes.
   */
  readonly bounded?: 'step' | 'end';
}

const registration = <R>(): Definition<Registration<R>> => ({
  kind: 'registration',
  make: () => new Registration<R>(),
});
const synchronous = <H>(make: () => H): Definition<H> => ({ kind: 'sync', make });
const asynchronous = <H>(make: () => H): Definition<H> => ({ kind: 'async', make });
const step = <H>(make: () => H): Definition<H> => ({ kind: 'async', bounded: 'step', make });
const end = <H>(make: () => H): Definition<H> => ({ kind: 'async', bounded: 'end', make });

/** Every hook of a kernel. tapable drops arguments that are not named, and a bail result must allow `undefined`. */
export const HOOKS = {
  methods: registration<Methods>(),
  routes: registration<Routes>(),
  migrations: registration<Migrations>(),
  commands: registration<Commands>(),
  database: asynchronous(
    () => new AsyncSeriesBailHook<[DatabaseRequest], DatabaseHandle | undefined>(['request']),
  ),
  bus: asynchronous(
    () => new AsyncSeriesBailHook<[BusRequest], RemoteBus | undefined>(['request']),
  ),
  prepare: step(() => new AsyncSeriesHook<[]>([])),
  start: step(() => new AsyncSeriesHook<[]>([])),
  ready: step(() => new AsyncSeriesHook<[Listening]>(['listening'])),
  reload: step(() => new AsyncSeriesHook<[Reload]>(['reload'])),
  warnings: asynchronous(() => new AsyncSeriesHook<[ConfigWarning[]]>(['warnings'])),
  stop: end(() => new AsyncSeriesHook<[string]>(['reason'])),
  message: asynchronous(
    () => new AsyncSeriesBailHook<[Incoming], Reading | undefined>(['incoming']),
  ),
  authenticate: asynchronous(
    () =>
      new AsyncSeriesBailHook<[string, Origin], Principal | undefined>(['credential', 'origin']),
  ),
  authorize: asynchronous(
    () =>
      new AsyncSeriesBailHook<[Principal, Requirement], 'allow' | 'deny' | undefined>([
        'caller',
        'requirement',
      ]),
  ),
  turn: synchronous(() => new SyncBailHook<[Origin, number], Wait>(['origin', 'bytes'])),
  admitted: synchronous(() => new SyncHook<[Call]>(['call'])),
  settled: synchronous(() => new SyncHook<[Call, Outcome]>(['call', 'outcome'])),
  connection: synchronous(() => new SyncBailHook<[Connection], false | undefined>(['connection'])),
  receiving: synchronous(() => new SyncBailHook<[Receipt], false | undefined>(['receipt'])),
  vouched: synchronous(
    () =>
      new SyncHook<[Connection, Principal, Origin | undefined]>(['connection', 'caller', 'origin']),
  ),
  request: asynchronous(() => new AsyncSeriesBailHook<[Exchange], true | undefined>(['exchange'])),
  upgrade: asynchronous(() => new AsyncSeriesBailHook<[Upgrade], true | undefined>(['upgrade'])),
} satisfies { readonly [Name in keyof Hooks]: Definition<unknown> };

export type KernelHooks = {
  readonly [Name in keyof typeof HOOKS]: ReturnType<(typeof HOOKS)[Name]['make']>;
};

export const createHooks = (): KernelHooks =>
  Object.fromEntries(
    Object.entries(HOOKS).map(([name, { make }]) => [name, make()]),
  ) as unknown as KernelHooks;
