/** Every key that is a secret or holds one, in a text, a list or an address: masked in logs, and gone from backups. */
import type { Plugin } from '@svc/plugin-sdk';
import { parse, stringify } from 'smol-toml';
import * as assert from 'uvu/assert';
import { withoutSecrets } from '../../plugins/backup/src/configuration.ts';
import { validateSection } from '../../server/src/config/section.ts';
import { logConfiguration, secretsOf } from '../../server/src/log/configuration.ts';
import { openLog } from '../../server/src/log/index.ts';
import { hideInLogs } from '../../server/src/log/mask.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { schemaOf } from '../../server/src/plugins/sections.ts';
import { suite } from '../runner/suite.ts';
import { type Key, keysOf } from '../security/configuration-keys.ts';

const test = suite('secret keys');
const plugins: Plugin[] = await Promise.all(builtInNames().map((name) => loadPlugin(name, '.')));
const schema = schemaOf(plugins);
const keys = keysOf(schema);
const nameOf = ({ path }: Key) => path.join('.');
const secret = keys.filter((key) => key.schema.secret);

/** Names of texts that may hold a secret. */
const SUSPICIOUS =
  /(?:url|uri|header|password|passphrase|secret|token|credential|key|auth)s?(?:_|$)/i;
/** Those that hold none. */
const PUBLIC = new Set([
  // Paths of files.
  ...['tls_key', 'bus-nats.tls_key', 'notify.key_file'],
  // Their form has no place for a user, a query or a fragment.
  ...['enrol.url', 'notify.public_url'],
  // Names: of tokens, tables, headers.
  ...[
    'admission.tokens',
    'server-info.exec_sql_secret_tables',
    'js-worker.route_headers',
    'brand.peer_header',
  ],
]);

test('every text whose name is like that of a secret is marked, or known to be public', () => {
  const isText = ({ schema: { type, items } }: Key) => type === 'string' || items !== undefined;
  const open = keys.filter((key) => isText(key) && !key.schema.secret && !isChoice(key));
  assert.equal(
    open.map(nameOf).filter((name) => SUSPICIOUS.test(last(name)) && !PUBLIC.has(name)),
    [],
    'mark it with secretKey(…) of the SDK, or say in PUBLIC why not',
  );
});

const isChoice = ({ schema }: Key) => schema.enum !== undefined;
const last = (name: string) => name.split('.').at(-1) ?? '';

test('addresses, headers and passwords are marked', () =>
  assert.equal(secret.map(nameOf).sort(), [
    'alert.watchdog_url',
    'bus-nats.password',
    'bus-nats.token',
    'bus-postgres.database_url',
    'database.database_url',
    'metrics.otlp_headers',
    'metrics.otlp_url',
  ]));

const CANARY = 'canary/47@11-and-more';
const ESCAPED = encodeURIComponent(CANARY);

/** Values with the secret in every place that the form of the key has for it. */
function samplesOf(key: Key): unknown[] {
  const name = last(nameOf(key));
  if (name === 'database_url')
    return [
      `postgres://svc:${ESCAPED}@db.example/svc?sslmode=require`,
      `postgres://svc:${CANARY}@db.example/svc`,
      `postgres://svc@db.example/svc?password=${ESCAPED}`,
    ];
  if (name.endsWith('url'))
    return [
      `https://h.example/${ESCAPED}`,
      `https://me:${ESCAPED}@h.example`,
      `https://${ESCAPED}@h.example/v1`,
    ];
  if (name.endsWith('headers')) return [[`authorization: Bearer ${CANARY}`, `x-api-key:${CANARY}`]];
  return [CANARY];
}

for (const key of secret)
  for (const value of samplesOf(key)) {
    const [section = '', name = ''] = key.path;
    const text = stringify({ [section]: { [name]: value } });
    const hasSecret = (shown: string) => shown.includes('canary');

    test(`${nameOf(key)} = ${JSON.stringify(value)}: its secret is in no log, wherever it turns up`, async () => {
      const lines: string[] = [];
      const log = openLog(
        { memory_log_capacity: 10 },
        { console: (line) => void lines.push(line) },
      );
      logConfiguration(log.logger, 'server.toml', parse(text), schema);
      assert.ok(
        lines.some((line) => line.includes(name)),
        'the key is told',
      );
      hideInLogs(secretsOf(parse(text), schema));
      for (const whole of [value].flat()) {
        log.logger.warn(`could not reach ${whole}`, { error: new Error(`refused: ${whole}/v1`) });
        log.logger.warn('refused', { detail: CANARY, raw: ESCAPED });
      }
      const ring = JSON.stringify(log.sinks.recent());
      await log.close();
      assert.not(hasSecret(lines.join('\n')), lines.join('\n'));
      assert.not(hasSecret(ring), ring);
    });

    test(`${nameOf(key)} = ${JSON.stringify(value)}: its secret is in no backup, and what is left is of its form`, () => {
      const kept = withoutSecrets(text, schema);
      assert.not(hasSecret(kept), kept);
      assert.match(kept, 'removed-by-backup');
      const plugin = plugins.find(({ name }) => name === section);
      if (plugin?.config) validateSection(section, plugin.config, parse(kept)[section], kept);
    });
  }

test('a password that is a word hides no words of the log', () => {
  const url = 'postgres://postgres:postgres@localhost/svc';
  assert.equal(secretsOf({ database: { database_url: url } }, schema), []);
});

test('a backup keeps what is no secret, and no text of a key that nothing knows', () => {
  const text = `static_path = "./static/"
pasword = "hush"
[database]
database_url = "sqlite://svc.db?mode=rwc"
[admission]
tokens = [{ token = "ci-*", weight = 0.5 }]
[js-worker]
route_headers = ["location"]
[greeter]
words = ["hush"]
count = 3
`;
  const kept = withoutSecrets(text, schema);
  assert.not.match(kept, /hush/);
  for (const shown of ['./static/', 'sqlite://svc.db?mode=rwc', 'ci-*', 'location', 'count = 3'])
    assert.ok(kept.includes(shown), `${shown}\n${kept}`);
});

test.run();
