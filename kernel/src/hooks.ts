import type {
  BusRequest,
  Call,
  Commands,
  ConfigWarning,
  Connection,
  DatabaseHandle,
  DatabaseRequest,
  Exchange,
  Incoming,
  Listening,
  Methods,
  Migrations,
  Origin,
  Outcome,
  Principal,
  Reading,
  Receipt,
  Reload,
  RemoteBus,
  Requirement,
  Routes,
  Upgrade,
  Wait,
} from '@svc/plugin-sdk';
import { AsyncSeriesBailHook, AsyncSeriesHook, SyncBailHook, SyncHook } from 'tapable';

/** Every hook of one kernel. tapable drops arguments that are not named, and a bail result must allow `undefined`. */
export const createHooks = () => ({
  methods: new SyncHook<[Methods]>(['methods']),
  routes: new SyncHook<[Routes]>(['routes']),
  migrations: new SyncHook<[Migrations]>(['migrations']),
  commands: new SyncHook<[Commands]>(['commands']),
  database: new AsyncSeriesBailHook<[DatabaseRequest], DatabaseHandle | undefined>(['request']),
  bus: new AsyncSeriesBailHook<[BusRequest], RemoteBus | undefined>(['request']),
  prepare: new AsyncSeriesHook<[]>([]),
  start: new AsyncSeriesHook<[]>([]),
  ready: new AsyncSeriesHook<[Listening]>(['listening']),
  reload: new AsyncSeriesHook<[Reload]>(['reload']),
  warnings: new AsyncSeriesHook<[ConfigWarning[]]>(['warnings']),
  stop: new AsyncSeriesHook<[string]>(['reason']),
  message: new AsyncSeriesBailHook<[Incoming], Reading | undefined>(['incoming']),
  authenticate: new AsyncSeriesBailHook<[string, Origin], Principal | undefined>([
    'credential',
    'origin',
  ]),
  authorize: new AsyncSeriesBailHook<[Principal, Requirement], 'allow' | 'deny' | undefined>([
    'caller',
    'requirement',
  ]),
  turn: new SyncBailHook<[Origin, number], Wait>(['origin', 'bytes']),
  admitted: new SyncHook<[Call]>(['call']),
  settled: new SyncHook<[Call, Outcome]>(['call', 'outcome']),
  connection: new SyncBailHook<[Connection], false | undefined>(['connection']),
  receiving: new SyncBailHook<[Receipt], false | undefined>(['receipt']),
  vouched: new SyncHook<[Connection, Principal, Origin | undefined]>([
    'connection',
    'caller',
    'origin',
  ]),
  request: new AsyncSeriesBailHook<[Exchange], true | undefined>(['exchange']),
  upgrade: new AsyncSeriesBailHook<[Upgrade], true | undefined>(['upgrade']),
});

/** Hooks whose taps run synchronously. tapable's classes cannot be told apart by `instanceof`. */
export const SYNC_HOOKS: ReadonlySet<string> = new Set(
  'methods routes migrations commands turn admitted settled connection receiving vouched'.split(
    ' ',
  ),
);

export type KernelHooks = ReturnType<typeof createHooks>;
