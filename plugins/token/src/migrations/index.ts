import type { Migration } from '@svc/plugin-sdk/sql';
import { create } from './0001-create.ts';
import { parent } from './0002-parent.ts';
import { place } from './0003-place.ts';
import { session } from './0004-session.ts';
import { pass } from './0005-pass.ts';
import { holder } from './0006-holder.ts';
import { heldBytes } from './0007-held-bytes.ts';

/** Migrations in order; a name is never changed. */
export const migrations: readonly Migration[] = [
  create,
  parent,
  place,
  session,
  pass,
  holder,
  heldBytes,
];
