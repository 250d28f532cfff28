import type { Methods } from '@svc/plugin-sdk';
import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';
import type { Components } from '../components.ts';
import { addChangeOwnPassword } from './change-own-password.ts';
import { addChangePassword } from './change-password.ts';
import { addCreate } from './create.ts';
import { addDelete } from './delete.ts';
import { addDependents } from './dependents.ts';
import { addEdit } from './edit.ts';
import { addExplain } from './explain.ts';
import { addGet } from './get.ts';
import { addHoldings } from './holdings.ts';
import { addListAllTokens } from './list-all-tokens.ts';
import { addRollTokenSecret } from './roll-token-secret.ts';
import { addSessions } from './sessions.ts';

/** Namespaces `token`, in the order of token.md, and `session`. */
export function addMethods(
  methods: Methods,
  components: Components,
  known: ReadonlyMap<string, RegisteredMethod>,
): void {
  addGet(methods, components);
  addCreate(methods, components);
  addDelete(methods, components);
  addEdit(methods, components);
  addChangePassword(methods, components);
  addRollTokenSecret(methods, components);
  addListAllTokens(methods, components);
  addDependents(methods, components);
  addHoldings(methods, components);
  addExplain(methods, components, known);
  addSessions(methods, components);
  addChangeOwnPassword(methods, components);
}
