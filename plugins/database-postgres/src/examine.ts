import { type Clock, type Database, type Finding, finding, sizeText } from '@svc/plugin-sdk';

/** Clocks may differ by this, ms. */
const SKEW_MS = 2_000;
/** Postgres stops taking writes 3 million transactions before 2^31; it warns in its own log only. */
const OLD_TRANSACTIONS = 1_500_000_000;

interface Facts {
  readonly version: string;
  readonly bytes: number;
  readonly readonly: string;
  readonly may_create: boolean;
  readonly age: number;
  /** Unix ms. */
  readonly now: number;
}

/** Returns the findings of `doctor` about the database and its server. */
export async function examine(db: Database, clock: Clock): Promise<Finding[]> {
  const before = clock.now();
  const facts = (await db.first<Facts>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      case when pg_is_in_recovery() then 'it follows another server'
        when current_setting('default_transaction_read_only') = 'on'
        then 'default_transaction_read_only is on' else '' end as readonly,
      has_schema_privilege(current_schema(), 'create') as may_create,
      (select age(datfrozenxid) from pg_database where datname = current_database()) as age,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
  )) as Facts;
  const after = clock.now();
  const size = `The database takes ${sizeText(facts.bytes)}; what is free on its disk, Postgres does not tell.`;
  return [
    ...health(facts),
    ...(await brokenIndexes(db)),
    timeOf(facts.now, before, after),
    finding('disk', 'ok', size),
  ];
}

function health({ version, bytes, readonly, may_create, age }: Facts): Finding[] {
  const found: Finding[] = [];
  const problem = (message: string, advice: string) =>
    void found.push(finding('database', 'problem', message, advice));
  if (readonly !== '')
    problem(`Nothing can be written: ${readonly}.`, 'Let database_url name the primary server.');
  if (!may_create)
    problem(
      'The user of database_url may not make tables in its schema.',
      'Make it the owner of the database, or grant it CREATE on the schema.',
    );
  if (age > OLD_TRANSACTIONS)
    problem(
      `The oldest transaction is ${age} transactions old: at 2,147,483,648 Postgres refuses writes.`,
      'Let autovacuum run, or run VACUUM FREEZE.',
    );
  if (found.length > 0) return found;
  return [finding('database', 'ok', `Postgres ${version}, ${sizeText(bytes)}; it can be written.`)];
}

/** An index whose making was interrupted is kept up to date and never used. */
async function brokenIndexes(db: Database): Promise<Finding[]> {
  const rows = await db.all<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
      where not i.indisvalid and c.relkind = 'i' and n.nspname = current_schema() order by 1 limit 5`,
  );
  return rows.map(({ name }) => {
    const advice = `Run in psql: reindex index "${name}"`;
    return finding('database', 'problem', `The index ${name} is not valid.`, advice);
  });
}

function timeOf(now: number, before: number, after: number): Finding {
  const ahead = now < before ? now - before : Math.max(0, now - after);
  if (Math.abs(ahead) < SKEW_MS) return finding('clock', 'ok', 'The database has the same time.');
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const message = `The clock of the database is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's.`;
  return finding('clock', 'problem', message, 'Let both machines follow NTP.');
}
