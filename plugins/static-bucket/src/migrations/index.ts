import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { owner } from './0002-owner.ts';
import { formerOwner } from './0003-former-owner.ts';

/** Steps of this plugin's schema, in order. */
export const migrations: readonly Migration[] = [create, owner, formerOwner];
