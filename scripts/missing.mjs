/** Description of this machine, in npm's words. */
const machine = () => ({
  os: process.platform,
  cpu: process.arch,
  libc: process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl',
});

/**
 * Paths of packages that fit this machine and are not installed: `npm ci` under an older Node leaves out what is declared as
 * optional and asks for a newer one. `known` and `present` are `packages` of the lock file and of what is installed.
 */
export function missing(known, present, own = machine()) {
  const fits = (path) =>
    known[path] !== undefined &&
    Object.entries(own).every(([key, value]) => known[path][key]?.includes(value) ?? true);
  return Object.values(present)
    .flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
    .map((name) => `node_modules/${name}`)
    .filter((path) => !(path in present) && fits(path));
}
