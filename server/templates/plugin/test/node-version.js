// Runs before the tests, under any Node: an older one only says that it does not know the file extension ".ts".
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `sample-plugin needs Node 22.18 or later, this is ${process.versions.node}: install it, for example from https://nodejs.org.`,
  );
  process.exit(1);
}
