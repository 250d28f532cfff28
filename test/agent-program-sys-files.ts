/** Files of `/sys` about disks and interfaces, from small tables. */

/** Text of a file by its path, or `-> target` for a link. */
export type Files = Readonly<Record<string, string>>;

/** A block device: `major:minor`, its name, and the disk that it is a part of. `rotational` and `removable` are those of disks. */
export interface Block {
  number: string;
  name: string;
  of?: string;
  rotational?: 0 | 1;
  removable?: 0 | 1;
}

/** The files of `/sys` about block devices. */
export function blockFiles(blocks: readonly Block[]): Files {
  return Object.fromEntries(
    blocks.flatMap(({ number, name, of, rotational, removable }) => {
      const folder = `/sys/devices/${of ? `${of}/` : ''}${name}`;
      return [
        [`${folder}/uevent`, `MAJOR=${number.replace(':', '\nMINOR=')}\nDEVNAME=${name}\n`],
        [`/sys/class/block/${name}/dev`, `${number}\n`],
        [`/sys/dev/block/${number}`, `-> ../../devices/${of ? `${of}/` : ''}${name}`],
        ...(rotational === undefined ? [] : [[`${folder}/queue/rotational`, `${rotational}\n`]]),
        ...(of ? [] : [[`${folder}/removable`, `${removable ?? 0}\n`]]),
      ];
    }),
  );
}

/** Names of what stands in the folder of an interface, beside its numbers; `iflink` where it is not its own. */
export interface Net {
  has?: string;
  iflink?: number;
  uevent?: string;
}

/** The files of `/sys/class/net`. */
export function netFiles(nets: Readonly<Record<string, Net>>): Files {
  return Object.fromEntries(
    Object.entries(nets).flatMap(([name, { has = '', iflink, uevent = '' }], index) => {
      const folder = `/sys/class/net/${name}`;
      return [
        [`${folder}/ifindex`, `${index + 1}\n`],
        [`${folder}/iflink`, `${iflink ?? index + 1}\n`],
        [`${folder}/uevent`, `${uevent}\nINTERFACE=${name}\nIFINDEX=${index + 1}\n`],
        ...has
          .split(' ')
          .filter(Boolean)
          .map((entry) => [`${folder}/${entry}`, '']),
      ];
    }),
  );
}
