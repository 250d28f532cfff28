import { type Database, type Finding, finding } from '@svc/plugin-sdk';
import { connectedServers } from './store.ts';

/** What `doctor` tells of the servers that use this database now. */
export async function serversOn(db: Database, own: string): Promise<Finding[]> {
  const servers = await connectedServers(db);
  if (servers.length === 0)
    return [finding('servers', 'ok', 'No server is running on this database.')];
  return servers.map(({ from, version }) => {
    // Servers up to 0.6.0 tell no version here.
    const message = `A server runs on this database: from ${from}, version ${version || '0.6.0 or older'}.`;
    const advice = `This program is ${own}. Two versions may share a database while you upgrade one server after the other.`;
    return version === own
      ? finding('servers', 'ok', message)
      : finding('servers', 'advice', message, advice);
  });
}
