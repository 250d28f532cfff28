import { type AccessContext, type Auth, needs, type Requirement, RpcError } from '@svc/plugin-sdk';

type Action = 'Create' | 'Read' | 'Update' | 'Delete' | 'ExecSql';
type Word = 'create' | 'read' | 'update' | 'delete' | 'exec_sql';

const on = (name: string, word: Word, action: Action): Requirement => ({
  scopes: [{ db: name }],
  permissions: [{ db: word }],
  denied: `Permission Denied: Requires Db::${action} on Scope::Db(${name})`,
});

const named = (word: Word, action: Action) =>
  needs(({ name }: { name: string }) => on(name, word, action));

export const mayCreate = named('create', 'Create');
export const mayRead = named('read', 'Read');
export const mayDelete = named('delete', 'Delete');
export const mayRun = named('exec_sql', 'ExecSql');

export const mayList = needs(
  (): Requirement => ({
    scopes: ['global'],
    permissions: [{ db: 'list' }],
    denied: 'Permission Denied: Requires Db::List in Global scope',
  }),
);

/** The old name first, then the new one, each with its own denial (db.md §4.4). */
export const mayRename = (auth: Auth) => ({
  async custom(
    { name, new_name }: { name: string; new_name: string },
    call: AccessContext,
  ): Promise<void> {
    const caller = await call.authenticate();
    for (const one of [name, new_name]) {
      const wanted = on(one, 'update', 'Update');
      if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
    }
  },
});
