import type { Methods, RegisteredMethod } from '@svc/plugin-sdk';
import type { Parts } from '../components.ts';
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

/** The namespaces `token`, in the order of token.md, and `session`. */
export function addMethods(
  methods: Methods,
  parts: Parts,
  known: ReadonlyMap<string, RegisteredMethod>,
): void {
  addGet(methods, parts);
  addCreate(methods, parts);
  addDelete(methods, parts);
  addEdit(methods, parts);
  addChangePassword(methods, parts);
  addRollTokenSecret(methods, parts);
  addListAllTokens(methods, parts);
  addDependents(methods, parts);
  addHoldings(methods, parts);
  addExplain(methods, parts, known);
  addSessions(methods, parts);
  addChangeOwnPassword(methods, parts);
}
