const NETWORK = new Set(
  (
    '9p acfs afs beegfs ceph cifs coda davfs glusterfs gpfs lustre ncpfs nfs nfs4 orangefs panfs prl_fs ' +
    'shfs smb3 smbfs vboxsf virtiofs vmhgfs wekafs'
  ).split(' '),
);

/** True for a file system that another machine, or the host of this virtual one, serves. */
export const isNetwork = (file_system: string): boolean => NETWORK.has(file_system.toLowerCase());

/** True for one that a program serves. `fuseblk` is none: that is a disk, mostly with NTFS. */
export const isFuse = (file_system: string): boolean => /^fuse(\.|$)/i.test(file_system);

/** The pool of a ZFS dataset or snapshot. */
export const poolOf = (source: string): string => source.split(/[/@]/, 1)[0] ?? source;
