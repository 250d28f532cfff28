/** Cores, disks, interfaces or graphics cards of one machine at most: hosts of containers have thousands of mounts. */
export const MOST_PARTS = 10_000;
