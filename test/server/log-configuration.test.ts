/** configuration.md §4: what a start logs of its configuration, as a person reads it on the console. */
import * as assert from 'uvu/assert';
import { parseToml } from '../../server/src/config/parse.ts';
import { logConfiguration } from '../../server/src/log/configuration.ts';
import { openLog } from '../../server/src/log/index.ts';
import { suite } from '../runner/suite.ts';

const test = suite('log: the configuration');

async function logged(toml: string): Promise<string[]> {
  const lines: string[] = [];
  const log = openLog({ memory_log_capacity: 10 }, { console: (line) => void lines.push(line) });
  logConfiguration(log.logger, '/etc/svc/server.toml', parseToml(toml));
  await log.close();
  return lines.map((line) => line.replace(/^.*? INFO server: /, ''));
}

const cases: [says: string, toml: string, lines: string[]][] = [
  [
    'a line for the keys above the tables, one for each table, and no escaped JSON',
    'ws_listener = "127.0.0.1:2211"\nallowed_hosts = ["localhost", "a.example"]\nplugins = []\n[database]\nmax_connections = 3',
    [
      'configuration path=/etc/svc/server.toml ws_listener=127.0.0.1:2211 allowed_hosts="localhost, a.example" plugins=""',
      'configuration [database] max_connections=3',
    ],
  ],
  [
    'a table in a table has its own line, and a table without keys has none',
    '[a.b]\nc = true',
    ['configuration path=/etc/svc/server.toml', 'configuration [a.b] c=true'],
  ],
  [
    'passwords in addresses, secrets and headers are not shown',
    '[database]\ndatabase_url = "postgres://svc:hush@db/svc"\n[bus-nats]\npassword = "hush"\n[metrics]\notlp_headers = ["authorization: Bearer hush"]',
    [
      'configuration path=/etc/svc/server.toml',
      'configuration [database] database_url=postgres://svc:***@db/svc',
      'configuration [bus-nats] password=***',
      'configuration [metrics] otlp_headers=***',
    ],
  ],
];
for (const [says, toml, lines] of cases)
  test(says, async () => assert.equal(await logged(toml), lines));

test.run();
