import type { Database } from '@svc/plugin-sdk';

/** The name that the servers of this database have in common. @throws RpcError 103 */
export async function readCluster(db: Database): Promise<string> {
  const row = await db.first<{ id: string }>('select id from bus_cluster');
  return row?.id ?? '';
}
