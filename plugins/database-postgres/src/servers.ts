import { type Database, type Finding, finding } from '@svc/plugin-sdk';
import { BUS_APPLICATION, type RunningServer, SERVER_APPLICATION } from './api.ts';

/** Commands have another name than servers, and are not counted. A server without the bus has no version. */
const SERVERS = `
  with connected as (
    select coalesce(host(client_addr), 'this machine') as "from", application_name as name, backend_start
    from pg_stat_activity where datname = current_database()),
  on_bus as (select * from connected where name like '${BUS_APPLICATION}%')
  select "from", trim(substr(name, ${BUS_APPLICATION.length + 1})) as version, backend_start as since from on_bus
  union all
  select "from", '', min(backend_start) from connected
    where name = '${SERVER_APPLICATION}' and "from" not in (select "from" from on_bus) group by 1
  order by since`;

/** The servers that are connected to this database. */
export const runningServers = (db: Database): Promise<RunningServer[]> =>
  db.all<{ from: string; version: string }>(SERVERS);

/** Returns the findings of `doctor` about the servers that use this database now. */
export async function examineServers(db: Database, own: string): Promise<Finding[]> {
  const servers = await runningServers(db);
  if (servers.length === 0)
    return [finding('servers', 'ok', 'No server is running on this database.')];
  return servers.map(({ from, version }) => {
    // Servers up to 0.6.0 tell no version here.
    const message = `A server runs on this database: from ${from}, version ${version || 'unknown'}.`;
    const advice = `This program is ${own}. Two versions may share a database while you upgrade one server after the other.`;
    return version === own
      ? finding('servers', 'ok', message)
      : finding('servers', 'advice', message, advice);
  });
}
