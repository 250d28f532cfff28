declare module 'pg-cursor' {
  import type { Connection, CustomTypesConfig, FieldDef, Submittable } from 'pg';

  export interface CursorResult {
    readonly fields: readonly FieldDef[];
    /** Rows that the statement changed; null until it is complete. */
    readonly rowCount: number | null;
  }

  export default class Cursor implements Submittable {
    constructor(
      sql: string,
      values: readonly unknown[],
      options: { rowMode: 'array'; types: CustomTypesConfig },
    );
    submit(connection: Connection): void;
    handleDataRow(message: unknown): void;
    read(
      rows: number,
      done: (error: Error | null | undefined, rows: unknown[][], result?: CursorResult) => void,
    ): void;
    close(): Promise<void>;
  }
}
