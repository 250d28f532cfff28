/** configuration.md §4: what a start logs of its configuration, as a person reads it on the console. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '@svc/server';
import * as assert from 'uvu/assert';
import { parseToml } from '../../server/src/config/parse.ts';
import { logConfiguration, shownBy } from '../../server/src/log/configuration.ts';
import { openLog } from '../../server/src/log/index.ts';
import { builtInNames, loadPlugin } from '../../server/src/plugins/find.ts';
import { schemaOf } from '../../server/src/plugins/sections.ts';
import { suite } from '../runner/suite.ts';
import { keysOf } from '../security/configuration-keys.ts';

const test = suite('log: the configuration');
const HEAD = 'configuration path=/etc/svc/server.toml';
const PLUGINS = ['admission', 'bus-nats', 'metrics'];

async function logged(toml: string): Promise<string[]> {
  const lines: string[] = [];
  const log = openLog({ memory_log_capacity: 10 }, { console: (line) => void lines.push(line) });
  const plugins = await Promise.all(PLUGINS.map((name) => loadPlugin(name, '.')));
  logConfiguration(log.logger, '/etc/svc/server.toml', parseToml(toml), shownBy(schemaOf(plugins)));
  await log.close();
  return lines.map((line) => line.replace(/^.*? INFO server: /, ''));
}

const cases: [says: string, toml: string, lines: string[]][] = [
  [
    'a line for the keys above the tables, one for each table, and no escaped JSON',
    'ws_listener = "127.0.0.1:2211"\nallowed_hosts = ["localhost", "a.example"]\nplugins = []\n[database]\nmax_connections = 3',
    [
      `${HEAD} ws_listener=127.0.0.1:2211 allowed_hosts="localhost, a.example" plugins=""`,
      'configuration [database] max_connections=3',
    ],
  ],
  [
    'a table in a table has its own line, and a table without keys has none',
    '[a.b]\nc = true',
    [HEAD, 'configuration [a.b] c=***'],
  ],
  [
    'passwords in addresses, secrets and headers are not shown',
    '[database]\ndatabase_url = "postgres://svc:hush@db/svc"\n[bus-nats]\npassword = "hush"\n[metrics]\notlp_headers = ["authorization: Bearer hush"]',
    [
      HEAD,
      'configuration [database] database_url=postgres://svc:***@db/svc',
      'configuration [bus-nats] password=***',
      'configuration [metrics] otlp_headers=***',
    ],
  ],
  [
    'of a key that nothing reads only the name is shown: it may be a secret with its name misspelt',
    'secret_key = "hush"\n"bus-nats.password" = "hush"\n[database]\npasword = "hush"\nports = ["hush"]\n[logging]\nretries = 4711',
    [
      `${HEAD} secret_key=*** bus-nats.password=***`,
      'configuration [database] pasword=*** ports=***',
      'configuration [logging] retries=***',
    ],
  ],
  [
    'nor is more shown of a table that nothing reads, and of that of a plugin that is off',
    '[geheim]\npw = "hush"\n[geheim.more]\npw = ["hush"]\n[[geheim.list]]\npw = "hush"\n[enrol]\nurl = "hush"',
    [
      HEAD,
      'configuration [geheim] pw=*** list=***',
      'configuration [geheim.more] pw=***',
      'configuration [enrol] url=***',
    ],
  ],
  [
    'a table or a list in the place of a plain value, and the other way round, is not shown',
    'metrics = "hush"\nplugins = "hush"\nws_listener = ["hush"]\n[server_uuid]\npw = "hush"',
    [`${HEAD} metrics=*** plugins=*** ws_listener=***`, 'configuration [server_uuid] pw=***'],
  ],
  [
    'tables in a list are shown with the same rules',
    '[[admission.tokens]]\ntoken = "hush"\nwieght = "hush"\nburst = 3',
    [
      HEAD,
      String.raw`configuration [admission] tokens="[{\"token\":\"***\",\"wieght\":\"***\",\"burst\":3}]"`,
    ],
  ],
  [
    'the query of an address is not shown, but for how an SQLite file is opened',
    '[database]\ndatabase_url = "sqlite://svc.db?mode=rwc"\n[metrics]\notlp_url = "http://localhost:4318/v1?key=hush&mode=rwc#hush"',
    [
      HEAD,
      'configuration [database] database_url="sqlite://svc.db?mode=rwc"',
      'configuration [metrics] otlp_url=http://localhost:4318/***',
    ],
  ],
  [
    'nor is a fragment, nor the query of the address of a database',
    '[database]\ndatabase_url = "postgres://svc@db/svc?pass=hush"\n[metrics]\notlp_url = "http://localhost:4318/#hush"',
    [
      HEAD,
      'configuration [database] database_url=postgres://svc@db/svc?***',
      'configuration [metrics] otlp_url=http://localhost:4318/***',
    ],
  ],
  [
    'whoever an address names is not shown: a token may stand there',
    '[metrics]\notlp_url = "https://hush@localhost/a"\n[bus-nats]\nservers = ["nats://hush@localhost:4222", "https://a:hu@sh@localhost"]',
    [
      HEAD,
      'configuration [metrics] otlp_url=https://***@localhost/***',
      'configuration [bus-nats] servers="nats://***@localhost:4222, https://***@localhost"',
    ],
  ],
];
for (const [says, toml, lines] of cases)
  test(says, async () => assert.equal(await logged(toml), lines));

test('every key that a plugin claims above the tables is shown while no plugin is loaded, and none is a secret', async () => {
  const all = await Promise.all(builtInNames().map((name) => loadPlugin(name, '.')));
  const known = keysOf(shownBy(schemaOf([])));
  for (const { path, schema } of all.flatMap(({ rootConfig }) =>
    rootConfig ? keysOf(rootConfig) : [],
  )) {
    const name = path.join('.');
    const found = known.find((key) => key.path.join('.') === name)?.schema;
    assert.is(
      found?.type,
      schema.type,
      `${name}: add it to CLAIMED in server/src/config/claimed.ts`,
    );
    assert.is(found?.items?.type, schema.items?.type, name);
    assert.not.ok(schema.secret, `${name} is a secret: it belongs into the section of its plugin`);
  }
});

test('a start shows no value of a key that neither the kernel nor a plugin reads', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-log-configuration-'));
  const config = join(dir, 'server.toml');
  const text = `server_uuid = "auto_gen"\nws_listener = "127.0.0.1:0"\nplugins = ["metrics"]\nsecret_key = "hush"
static_path = "./s"\ndb_path = "./d"
[database]\ndatabase_url = "sqlite://${join(dir, 'svc.db')}?mode=rwc"\npasword = "hush"
[metrics]\nlisten = "hush"\notlp_interval_s = 7\n[geheim]\npw = "hush"\n`;
  writeFileSync(config, text);
  const lines: string[] = [];
  try {
    const app = await start({ config, mode: 'tool', console: (line) => void lines.push(line) });
    await app.stop('test');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const log = lines.join('\n');
  for (const shown of [
    ...['secret_key=***', 'static_path=./s', 'db_path=./d'],
    ...['pasword=***', '[geheim] pw=***', 'otlp_interval_s=7'],
  ])
    assert.ok(log.includes(shown), `${shown}\n${log}`);
  assert.not(log.includes('hush'), log);
});

test.run();
