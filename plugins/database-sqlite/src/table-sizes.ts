import type { TableSize } from '@svc/plugin-sdk/sql';
import type Sqlite from 'better-sqlite3';
import { pragmaNumber } from './pragma.ts';

/** A file of up to so many pages is counted whole: some 2 µs a page. */
const COUNTED_PAGES = 2_048;
/** Pages of a larger file that are looked at: of each tree at first, and of those tables that are larger together. */
const FIRST_PAGES = 48;
const TABLE_PAGES = 1_600;

/** One b-tree of the file: a table or an index. */
interface Tree {
  readonly name: string;
  readonly isTable: boolean;
  readonly pages: number;
  /** Tells whether the size is exact, not extrapolated from its first pages. */
  readonly exact: boolean;
}

const LEDGER = 'schema_migrations';
const TABLES = `
  select t.name as name, coalesce(s.pgsize, 0) as bytes
  from sqlite_schema t left join dbstat('main', 1) s on s.name = t.name
  where t.type = 'table' and t.name <> '${LEDGER}'
  order by t.name`;
const TREES = `
  select 'sqlite_schema' as name, 0 as is_table
  union all select name, type = 'table' from sqlite_schema
  order by name`;

/**
 * Bytes of each table's own b-tree, without indexes, in name order (svc-server.md §8); an empty table has
 * one page. Takes some milliseconds however large the file is: in a file of more than 8 MB large trees are extrapolated
 * from their first pages, in proportion to what the file holds as a whole.
 */
export function tableSizes(db: Sqlite.Database): TableSize[] {
  const number = (pragma: string) => pragmaNumber(db, pragma);
  const used = number('page_count') - number('freelist_count');
  if (used <= COUNTED_PAGES) return db.prepare(TABLES).all() as TableSize[];
  const pageBytes = number('page_size');
  const trees = sampledTrees(db);
  const share = correction(trees, usedPages(used, pageBytes, number('auto_vacuum')));
  return trees
    .filter(({ name, isTable }) => isTable && name !== LEDGER)
    .map(({ name, pages, exact }) => ({
      name,
      bytes: (exact ? pages : Math.round(pages * share)) * pageBytes,
    }));
}

function sampledTrees(db: Sqlite.Database): Tree[] {
  const found = db.prepare(TREES).all() as { name: string; is_table: number }[];
  const trees = found.map(({ name, is_table }) => ({
    ...walk(db, name, FIRST_PAGES),
    isTable: is_table === 1,
  }));
  const large = ({ isTable, exact }: Tree) => isTable && !exact;
  const most = Math.floor(TABLE_PAGES / trees.filter(large).length);
  return trees.map((tree) =>
    large(tree) && most > FIRST_PAGES ? { ...tree, ...walk(db, tree.name, most) } : tree,
  );
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
  /** Bytes of this page, and of the overflow pages of its cells. */
  own: number;
  readonly children: number;
  /** Pages of the visited children's trees. */
  readonly below: number[];
  /** Factor by which a full page would hold more. */
  readonly slack: number;
  /** The slack of the first child, if that has children. */
  first: number;
}

/** Lengths and numbers only: a text for each page would take longer than to find it. */
const PAGES = `
  select length(path), pagetype = 'overflow', pagetype = 'internal', ncell, 1.0 * pgsize / (pgsize - unused)
  from dbstat('main') where name = ?`;

/** Walks a tree, depth first, over at most `most` pages. */
function walk(db: Sqlite.Database, name: string, most: number): Omit<Tree, 'isTable'> {
  const rows = db.prepare(PAGES).raw().iterate(name) as IterableIterator<
    [length: number, overflow: number, internal: number, cells: number, slack: number]
  >;
  const path: Branch[] = [];
  let looked = 0;
  for (const [length, overflow, internal, cells, slack] of rows) {
    if (looked++ === most) return { name, pages: fold(path, 0), exact: false };
    // `/` is the root, `/000/` its first child, `/000/01a+000000` an overflow page of that child.
    const depth = (length - (overflow ? 11 : 1)) / 4;
    if (overflow) {
      const owner = path[depth];
      if (owner) owner.own++;
      continue;
    }
    fold(path, depth);
    path.push({ own: 1, children: internal ? cells + 1 : 0, below: [], slack, first: 1 });
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
    const parent = branch.children === 0 || branch.below.length > 0 ? path.at(-1) : undefined;
    if (parent?.below.length === 0 && branch.children > 0) parent.first = branch.slack;
    parent?.below.push(pages);
  }
  return pages;
}

function pagesBelow({ children, below, first: slack }: Branch): number {
  const sum = below.reduce((pages, each) => pages + each, 0);
  if (below.length === children || below.length === 0) return sum;
  // Old rows are deleted from the front, so the first branch may hold less than the others, which are full.
  const [first = 0] = below;
  const mean = below.length === 1 ? first * slack : (sum - first) / (below.length - 1);
  return Math.round(first + mean * (children - 1));
}
