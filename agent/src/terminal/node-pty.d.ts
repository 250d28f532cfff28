/** The part of the package that the agent uses; declared here because the package is optional, and may not be installed. */
declare module '@lydell/node-pty' {
  export interface Pty {
    /** The shell. It leads a session and a process group of its own. */
    readonly pid: number;
    write(data: Buffer): void;
    resize(cols: number, rows: number): void;
    pause(): void;
    resume(): void;
    onData(listen: (data: Buffer) => void): unknown;
    onExit(listen: (end: { exitCode: number; signal?: number }) => void): unknown;
  }

  export interface PtyModule {
    spawn(file: string, args: string[], options: Record<string, unknown>): Pty;
  }

  const pty: PtyModule;
  export default pty;
}
