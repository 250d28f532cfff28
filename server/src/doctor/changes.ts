import { type Finding, finding } from '@svc/plugin-sdk';
import { parseListener } from '../config/listener.ts';
import type { LoadedConfig } from '../config/load.ts';
import { builtInNames, entriesOf } from '../plugins/find.ts';

/** Change of a version that matters to an upgrade from an earlier one. */
interface Change {
  readonly concerns: (config: LoadedConfig) => boolean;
  /** `ok`: nothing has to be done. */
  readonly level: 'advice' | 'ok';
  readonly message: string;
  readonly advice?: string;
}

const lists = ({ head }: LoadedConfig, ...names: string[]): boolean =>
  entriesOf(head).some((entry) => names.includes(entry));

const BUCKETS = ['static-bucket', 'static-bucket-file', 'static-webdav'];

/** The plugins of 0.6 brought these along. */
const bringsNoBuckets: Change = {
  concerns: (config) => lists(config, 'dashboard', 'enrol') && !lists(config, ...BUCKETS),
  level: 'advice',
  message:
    '0.7.0: the plugins dashboard and enrol no longer bring static-bucket, so this list has no buckets.',
  advice: 'Add "static-bucket" to the list where somebody calls static-bucket_*.',
};

const pluginsOfOthers: Change = {
  concerns: ({ head }) => entriesOf(head).some((entry) => !builtInNames().includes(entry)),
  level: 'advice',
  message:
    "0.7.0: a plugin that is no built-in one gets the server's own @svc/plugin-sdk, wherever it is installed.",
  advice:
    'Take a copy of the SDK out of its node_modules, and run its tests with the SDK of this version.',
};

const schemeOfProxies: Change = {
  concerns: ({ head, raw }) =>
    raw['trusted_proxies'] === undefined &&
    (head.enable_unix_socket ||
      /^(?:127\.|::1$)/.test(parseListener(head.ws_listener)?.host ?? '')),
  level: 'ok',
  message:
    '0.7.0: x-forwarded-proto is believed from this machine where trusted_proxies is missing; x-forwarded-for still is not.',
};

const hostNames: Change = {
  concerns: (config) => lists(config, 'agent-uuid'),
  level: 'ok',
  message:
    '0.7.0: machines without a name are called by their host name, for tokens that may read their static_monitoring system or metadata_name.',
};

const pacedReports: Change = {
  concerns: ({ raw }) => {
    const buffer = raw['monitoring_buffer'] as { flush_interval_ms?: unknown } | undefined;
    return Number(buffer?.flush_interval_ms) > 200;
  },
  level: 'ok',
  message: '0.8.0: flush_interval_ms counts as 200 where it is larger.',
};

const pathsOverTheWire: Change = {
  concerns: ({ raw }) => Array.isArray(raw['allowed_paths']) && raw['allowed_paths'].length > 0,
  level: 'advice',
  message:
    '0.9.0: svc-server_edit_config changes no paths, plugins, addresses and outlets any more, so allowed_paths has no effect.',
  advice: 'Take allowed_paths out, and change such keys in the file on the machine.',
};

const signingKey: Change = {
  concerns: (config) => lists(config, 'enrol'),
  level: 'ok',
  message:
    '0.9.0: the first start writes signing.key beside the configuration; servers behind one address need the same file (svc-server signing-key export).',
};

const passwords: Change = {
  concerns: (config) =>
    lists(config, 'token') &&
    (config.raw['token'] as { password_policy?: unknown } | undefined)?.password_policy !== 'off',
  level: 'ok',
  message:
    '0.9.0: new passwords have 8 characters and are none of the commonest; those that exist go on.',
};

const secretsKey: Change = {
  concerns: (config) => lists(config, 'notify'),
  level: 'ok',
  message:
    '0.10.0: the first start writes secrets.key beside the configuration; servers of one database need the same file, else they send no messages.',
};

const CHANGES = [
  bringsNoBuckets,
  pluginsOfOthers,
  schemeOfProxies,
  hostNames,
  pacedReports,
  pathsOverTheWire,
  signingKey,
  passwords,
  secretsKey,
];

/** Changes since 0.6.0 that concern a configuration. Plugins report their own in `examine`. */
export const changesFor = (config: LoadedConfig): Finding[] =>
  CHANGES.filter(({ concerns }) => concerns(config)).map(({ level, message, advice }) =>
    finding('configuration', level, message, advice),
  );
