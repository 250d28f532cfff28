/** SQL of stores: statements, conditions, migrations, and the types of a database. */
export { callerValues } from './caller-values.ts';
export {
  type Building,
  conditionsOf,
  equalTo,
  Flag,
  flagged,
  isEmptyRange,
  membersOf,
  narrow,
  ONE_MEMBER,
  type Term,
  type TimeRange,
  timesOf,
  withinTimes,
} from './conditions.ts';
export type {
  Appender,
  AppenderOptions,
  DatabaseHandle,
  DatabaseRequest,
  Executed,
  GuardedTables,
  Space,
  SqlCaller,
  TableSize,
} from './database.ts';
export type {
  ColumnTypes,
  Migration,
  MigrationDatabase,
  MigrationStep,
  Migrations,
} from './migration.ts';
export type { QueryBuilder, TableBuilder } from './query.ts';
export {
  type CallerValue,
  guarded,
  type Integer,
  jsonBoolean,
  jsonPlain,
  marks,
  rowsOf,
  type Sql,
  type SqlForms,
  type SqlValue,
  whereAll,
} from './statements.ts';
export type {
  NewestOfOwner,
  PartitionChange,
  PartitionOptions,
  PartitionRange,
  PartitionView,
  TimePartition,
  TimePartitions,
  TimeTable,
} from './time-partitions.ts';
