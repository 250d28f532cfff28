import { type AccessContext, type Auth, RpcError } from '@svc/plugin-sdk';
import type { StoredRule } from '../store/rows.ts';
import type { RuleScope } from '../types.ts';
import { mayRule } from './rights.ts';
import { scopeOf } from './scope.ts';

type Given = Parameters<typeof scopeOf>[0];

interface Named {
  readonly name: string;
  readonly change?: { readonly scope?: Given | undefined };
}

export const noRule = (name: string) => RpcError.notFound(`there is no rule '${name}'`);

/** Text about the right to a stored rule, for the documentation. */
export const rightTo = (verb: 'read' | 'write', besides = '') => ({
  words: `\`alert\` \`${verb}\` in the scopes of the rule: of each machine that it names, or \`global\`${besides}`,
  scopes: ['global'] as const,
  permissions: [{ alert: verb }],
});

/** The right to the rule of this name, and to the scope that it gets. Without it nobody learns which rules there are. */
export const onRule = (
  verb: 'read' | 'write',
  {
    auth,
    find,
    gets,
  }: {
    readonly auth: Auth;
    readonly find: (name: string) => Promise<StoredRule | undefined>;
    /** Scope that the call gives the rule, whatever it says. */
    readonly gets?: RuleScope;
  },
) => ({
  async custom({ name, change }: Named, call: AccessContext): Promise<void> {
    const caller = await call.authenticate();
    const rule = await find(name);
    const scopes: RuleScope[] = [rule?.scope ?? { all: true }];
    if (gets) scopes.push(gets);
    if (change?.scope) scopes.push(scopeOf(change.scope));
    for (const scope of scopes) {
      const wanted = mayRule(verb, scope);
      if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
    }
    if (!rule) throw noRule(name);
  },
});
