import { type Brand, needs, type Requirement, superOnly } from '@svc/plugin-sdk';

/** Words of the server permission kind; its outer tag is the brand's (auth.md §5.2). */
export const serverWords = [
  'list_all_agent_uuid',
  'get_rt_pool',
  'delete_agent_uuid',
  'exec_sql',
] as const;

/** Super Token only, with the text of svc-server.md. */
export const superToken = superOnly('Permission Denied: Super token required');

/** The right to run SQL on the main database: `exec_sql` of the server kind, in global scope. */
export const mayRunSql = (brand: Brand) =>
  needs(
    (): Requirement => ({
      scopes: ['global'],
      permissions: [{ [brand.permission]: 'exec_sql' }],
      denied: `Permission Denied: missing ${brand.permission}.exec_sql permission`,
    }),
  );
