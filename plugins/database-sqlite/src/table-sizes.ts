import type { TableSize } from '@svc/plugin-sdk';
import type Sqlite from 'better-sqlite3';

/** A file of up to so many pages is counted whole: some 2 µs a page. */
const COUNTED_PAGES = 2_048;
/** Pages of one tree that are looked at in a larger file. */
const SAMPLED_PAGES = 512;

/** One b-tree of the file: a table or an index. */
interface Tree {
  readonly name: string;
  readonly pages: number;
  /** False: extrapolated from its first pages. */
  readonly exact: boolean;
}

const TABLES = `
  select t.name as name, coalesce(s.pgsize, 0) as bytes
  from sqlite_schema t left join dbstat('main', 1) s on s.name = t.name
  where t.type = 'table' and t.name <> 'schema_migrations'
  order by t.name`;
const TREES = `
  select 'sqlite_schema' as name, false as wanted
  union all select name, type = 'table' and name <> 'schema_migrations' from sqlite_schema
  order by name`;

/**
 * Bytes of each table's own b-tree, without indexes, in name order (svc-server.md, database_storage); an empty table has
 * one page. Takes some milliseconds however large the file is: in a file of more than 8 MB trees of more than 512 pages
 * are extrapolated from their first ones, in proportion to what the file holds as a whole.
 */
export function tableSizes(db: Sqlite.Database): TableSize[] {
  const number = (pragma: string) => Number(db.pragma(pragma, { simple: true }));
  const used = number('page_count') - number('freelist_count');
  if (used <= COUNTED_PAGES) return db.prepare(TABLES).all() as TableSize[];
  const pageBytes = number('page_size');
  const found = db.prepare(TREES).all() as { name: string; wanted: number }[];
  const trees = found.map(({ name, wanted }) => ({ ...walk(db, name), wanted: wanted === 1 }));
  const share = correction(trees, usedPages(used, pageBytes, number('auto_vacuum')));
  return trees
    .filter(({ wanted }) => wanted)
    .map(({ name, pages, exact }) => ({
      name,
      bytes: (exact ? pages : Math.round(pages * share)) * pageBytes,
    }));
}

/** Pages of trees. With `auto_vacuum` one page in each `pageBytes / 5 + 1` only tells where the others belong. */
function usedPages(taken: number, pageBytes: number, autoVacuum: number): number {
  return autoVacuum === 0 ? taken : taken - Math.ceil(taken / (pageBytes / 5 + 1));
}

/** All trees together are known exactly, so errors of the extrapolation are shared among those that are extrapolated. */
function correction(trees: readonly Tree[], used: number): number {
  const sum = (exact: boolean) =>
    trees.reduce((pages, tree) => pages + (tree.exact === exact ? tree.pages : 0), 0);
  const left = used - sum(true);
  const guessed = sum(false);
  return left > 0 && guessed > 0 ? left / guessed : 1;
}

/** A page of the tree, and what is known of the trees below it. */
interface Branch {
  /** This page, and the overflow pages of its cells. */
  own: number;
  readonly children: number;
  /** Pages of the visited children's trees. */
  readonly below: number[];
}

/** Walks a tree, depth first, over its first pages. */
function walk(db: Sqlite.Database, name: string): Tree {
  const rows = db
    .prepare("select path, pagetype, ncell from dbstat('main') where name = ?")
    .raw()
    .iterate(name) as IterableIterator<[path: string, type: string, cells: number]>;
  const path: Branch[] = [];
  let looked = 0;
  for (const [at, type, cells] of rows) {
    if (looked++ === SAMPLED_PAGES) return { name, pages: fold(path, 0), exact: false };
    // `/` is the root, `/000/` its first child, `/000/01a+000000` an overflow page of that child.
    const depth = at.split('/').length - 2;
    if (type === 'overflow') {
      const owner = path[depth];
      if (owner) owner.own++;
      continue;
    }
    fold(path, depth);
    path.push({ own: 1, children: type === 'internal' ? cells + 1 : 0, below: [] });
  }
  return { name, pages: fold(path, 0), exact: true };
}

/** Adds the branches from `depth` on to those above them. @returns pages of the highest one */
function fold(path: Branch[], depth: number): number {
  let pages = 0;
  while (path.length > depth) {
    const branch = path.pop() as Branch;
    pages = branch.own + pagesBelow(branch);
    // A branch whose children have not been reached tells nothing.
    if (branch.children === 0 || branch.below.length > 0) path.at(-1)?.below.push(pages);
  }
  return pages;
}

function pagesBelow({ children, below }: Branch): number {
  const sum = below.reduce((pages, each) => pages + each, 0);
  if (below.length === children || below.length === 0) return sum;
  // Old rows are deleted from the front, so the first branch may hold less than the others.
  const [first = 0] = below;
  const mean = below.length === 1 ? first : (sum - first) / (below.length - 1);
  return Math.round(first + mean * (children - 1));
}
