const NETWORK = new Set(
  (
    '9p acfs afs beegfs ceph cifs coda davfs glusterfs gpfs lustre ncpfs nfs nfs4 orangefs panfs prl_fs ' +
    'shfs smb3 smbfs vboxsf virtiofs vmhgfs wekafs'
  ).split(' '),
);

/** Tells whether another machine, or the host of this virtual one, serves the file system. */
export const isNetwork = (file_system: string): boolean => NETWORK.has(file_system.toLowerCase());

/** Tells whether a program serves the file system. `fuseblk` is none of these: that is a disk, mostly with NTFS. */
export const isFuse = (file_system: string): boolean => /^fuse(\.|$)/i.test(file_system);

/** The pool of a ZFS dataset or snapshot. */
export const poolOf = (source: string): string => source.split(/[/@]/, 1)[0] ?? source;
