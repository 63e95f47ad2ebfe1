import { defineFaults, type Fault, faults as kernelFaults } from '../kernel/index.ts'

/** The fixes that several faults share. */
export const NAME_ANOTHER = 'name another file; a missing file is created'
export const RESTORE = 'restore the file from a copy, and keep the damaged one with its -wal file'
export const PERMIT = 'grant the permission, or copy the file with its -wal file to a folder of your own'

/** The store's part of the catalogue. Journals and leases use the kernel's codes R5001 to R5008. */
export const faults = defineFaults({
  R5020: {
    title: 'The file is not a store of Reflex',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'The file is not an SQLite database, or another program made it. It was not changed.',
    often: 'a wrong path after --store, a text file, the database of another application',
    fix: 'Name another file; a missing file is created.',
  },
  R5021: {
    title: 'The store is damaged',
    verdict: 'fail',
    when: 'when a store is opened, or later when the damaged part is read',
    means: 'The file is shorter than its header says, or its pages are inconsistent. Nothing was written to it after the damage was found.',
    often: 'a copy that was cut short, a copy made without the -wal file beside it, a failing disk',
    fix: 'Restore the file from a copy. Keep the damaged one, with its -wal file: sqlite3 FILE .recover may save more.',
  },
  R5022: {
    title: 'The store was made by a newer release',
    verdict: 'fail',
    when: 'when a store is opened, or when it is written after a newer release has raised its layout',
    means:
      'The layout number of the store is higher than this release knows. Nothing was written. This process stops its runs; in the store they stay unchanged.',
    often: 'a newer release on the same machine that opened the store while an older process was still running',
    fix: 'Open it with the release that made it, or a later one, and resume the runs there.',
  },
  R5023: {
    title: 'The store cannot be opened',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'There is no readable file at this path, and none could be created.',
    often: 'a folder where a file is expected, a parent that is a file, a folder of another user',
    fix: 'Name a file in a folder that you may write to.',
  },
  R5024: {
    title: 'The store is read-only',
    verdict: 'fail',
    when: 'when a run is started, resumed, answered or cancelled, or a store is created',
    means:
      'A process that advances or answers a run must be able to write the file and to create files in its folder. Nothing was written. Runs, traces and questions can still be read.',
    often: 'a file of another user, a folder without write permission, a disk that is mounted read-only',
    fix: 'Grant the permission, or copy the file with its -wal file to a folder of your own.',
  },
  R5025: {
    title: 'The store is busy',
    verdict: 'retry',
    when: 'at any time',
    means: 'Another process was writing the whole time, so nothing was done. The same call can be tried again.',
    often: 'a process stopped in a debugger or with Ctrl-Z while it wrote, a long backup',
    fix: 'Wait for the other process, or end it; then try again.',
  },
  R5026: {
    title: 'The store cannot be read',
    verdict: 'fail',
    when: 'at any time',
    means: 'The disk or the file system refused to read the store. Nothing was changed.',
    often: 'a disconnected network drive, a failing disk, too many open files',
    fix: 'Read the cause. When the file can be read again, resume.',
  },
  R5027: {
    title: 'The address does not name a store',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'A store is named by a path or by a scheme that this release knows.',
    often: 'a misspelt scheme, a colon in a file name',
    fix: 'Write a path, sqlite:PATH, postgres://HOST/DATABASE, or memory: (a store that ends with the process).',
  },
  R5028: {
    title: 'The worker is not registered with the store',
    verdict: 'bug',
    when: 'when a run is created or claimed',
    means: 'A store gives leases only to workers that called hello on it: without a heartbeat, nothing shows when the lease ends.',
    fix: 'Call hello on the same store object first, then beat regularly.',
  },
  R5029: {
    title: 'The store is closed',
    verdict: 'bug',
    when: 'at any time',
    means: 'Something used the store after close. Nothing was done.',
    fix: 'Close the runtime before its store.',
  },
  R5030: {
    title: 'The store that was found is not registered',
    verdict: 'fail',
    when: 'when a command looks for its store in the current folder and the folders above it',
    means:
      'There is a folder .reflex, but this user has neither created nor named its store, or the store is not the one that was created or named at this path. Its questions may be forged: a program or an archive can have put it there. It was not opened.',
    often:
      'a project folder that was copied, moved or received from another person, a different home folder, an empty folder .reflex, a store of a release that kept no identity in the file',
    fix: 'If you know the origin of the store, name it once: reflex runs --store PATH. From then on it is found; a read-only store must be named each time. Otherwise remove its folder .reflex.',
  },
  R5051: {
    title: 'There is no such sealed segment',
    verdict: 'fail',
    when: 'when a segment of a run is packed or forgotten',
    means: 'A segment has a number from 1 on. The last one is open: records are still added to it.',
    fix: 'Choose a segment that the store lists as sealed.',
  },
  R5052: {
    title: 'The segment is not packed',
    verdict: 'fail',
    when: 'when segments of a run are forgotten',
    means: 'Only what is packed and in an archive can be removed from the store. Nothing was removed.',
    fix: 'Pack the segment, export the run, then forget it.',
  },
  R5053: {
    title: 'The seal has no snapshot',
    verdict: 'bug',
    when: 'when a batch that ends a segment is committed',
    means: 'The snapshot opens the next segment, which could not be read without it. Nothing was written.',
    fix: 'Add the snapshot after the last record to the batch.',
  },
  R5054: {
    title: 'The records are not in the store',
    verdict: 'fail',
    when: 'when a run is read, replayed, forked or exported from an earlier record',
    means:
      'The run is so long that its oldest records were moved to an archive, or it began with the state of another run instead of records. Everything after them is in the store, and the run can be continued.',
    fix: 'Import the archive that the message names, and read the records there. The records before the first one of a fork are in the run that it was forked from.',
  },
})

/** Returns the fault `R5005` for a store without free space; `where` names its disk. */
export function noRoom(store: string, where: string, details: { readonly file?: string; readonly cause: unknown }): Fault {
  return kernelFaults.make('R5005', `no room left for the store ${store}: this was not written, and what was recorded before is kept`, {
    ...details,
    fix: `make room on ${where}, then resume`,
  })
}

/** Returns the fault `R5030` for a store that replaced the expected one. */
export function replaced(file: string): Fault {
  return faults.make('R5030', `the store ${file} is not the one that you made or named at this path`, {
    file,
    fix: 'name it once, if you know its origin',
  })
}
