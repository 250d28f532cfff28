type Packages = Readonly<Record<string, object>>;
/** Paths of packages that fit a machine and are not installed. */
export declare function missing(
  known: Packages,
  present: Packages,
  own?: { readonly os: string; readonly cpu: string; readonly libc: string },
): string[];
