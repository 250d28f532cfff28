import type { Integer } from './statements.ts';

/** Times from `from` until before `to`, ms; `-Infinity` and `Infinity` are ends that do not exist. */
export interface PartitionRange {
  readonly from: number;
  readonly to: number;
}

/** A table of rows that belong to an owner and a time. Its primary key is (owner, time, id). */
export interface TimeTable {
  readonly table: string;
  readonly owner: string;
  readonly time: string;
  readonly id: string;
}

export interface TimePartition extends PartitionRange {
  readonly name: string;
}

/** The newest row of one owner in one partition. */
export interface NewestOfOwner {
  readonly id: number;
  readonly newest: Integer;
}

export interface PartitionChange {
  readonly drop: readonly TimePartition[];
  readonly create: readonly PartitionRange[];
}

/** The partitions of a table as they stand; within a change nothing else writes the table. */
export interface PartitionView {
  /** Partitions in the order of time. */
  readonly partitions: readonly TimePartition[];
  /** Owners with rows in this partition. */
  newest(partition: TimePartition): Promise<NewestOfOwner[]>;
  /** Tells whether a row of this partition has this time or a later one in `column`, which grows in the order of inserting. */
  reaches(partition: TimePartition, column: string, time: number): Promise<boolean>;
}

/** The partitions of one table. */
export interface TimePartitions {
  /** Undefined: the table is a plain one. @throws RpcError 103 */
  look(): Promise<PartitionView | undefined>;
  /**
   * Makes the change that `plan` wants of the table as it stands, in one transaction; rows of a new range move in.
   * @throws RpcError 103, also when the table or another server's change is not let go of within two seconds
   */
  change(plan: (view: PartitionView) => Promise<PartitionChange>): Promise<PartitionChange>;
}

/**
 * Options with which a migration partitions a plain table. Its rows stay where they are, as the partition of all times
 * before `end`; times from `far` on have a partition of their own. `arrival` is a column that grows in the order of
 * inserting.
 */
export interface PartitionOptions {
  readonly end: number;
  readonly far: number;
  readonly arrival: string;
  /** Names of the indexes over the time and over `arrival`. */
  readonly indexes: { readonly time: string; readonly arrival: string };
}
