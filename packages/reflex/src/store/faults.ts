import { defineFaults, type Fault } from '../kernel/journal/fault.ts'
import { faults as kernelFaults } from '../kernel/journal/faults.ts'

/** What to do about several of them, as a line beside the message. */
export const NAME_ANOTHER = 'name another file; one that does not exist yet is made'
export const RESTORE = 'restore the file from a copy, and keep the damaged one with its -wal file'
export const PERMIT = 'grant the permission, or copy the file with its -wal file to a folder of your own'

/** The store's part of the catalogue. Journals and leases have the kernel's codes R5001 to R5008. */
export const faults = defineFaults({
  R5020: {
    title: 'The file is not a store of Reflex',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'The file is no SQLite database, or it is one that another program made. It was not changed.',
    often: 'a wrong path after --store, a text file, the database of another application',
    fix: 'Name another file; one that does not exist yet is made.',
  },
  R5021: {
    title: 'The store is damaged',
    verdict: 'fail',
    when: 'when a store is opened, or later when the damaged part is read',
    means: 'The file is shorter than it says, or its pages do not fit together. Nothing was written to it since this was noticed.',
    often: 'a copy that was cut short, a copy made without the -wal file beside it, a failing disk',
    fix: 'Restore the file from a copy. Keep the damaged one, with its -wal file: sqlite3 FILE .recover may save more.',
  },
  R5022: {
    title: 'The store was made by a newer release',
    verdict: 'fail',
    when: 'when a store is opened, or when it is written after a newer release has raised its layout',
    means:
      'The layout of the store has a higher number than this release knows. Nothing was written. Runs of this process end here and stay as they are in the store.',
    often: 'a newer release on the same machine that opened the store while an older process was still running',
    fix: 'Open it with the release that made it, or a later one, and resume the runs there.',
  },
  R5023: {
    title: 'The store cannot be opened',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'There is no file at this place that could be read, and none could be made.',
    often: 'a folder where a file is expected, a parent that is a file, a folder of another user',
    fix: 'Name a file in a folder that you may write to.',
  },
  R5024: {
    title: 'The store is read-only',
    verdict: 'fail',
    when: 'when a run is started, resumed, answered or cancelled, or a store is made',
    means:
      'Who advances or answers a run must be able to write the file, and to make files in its folder. Nothing was written. Runs, traces and questions can be read.',
    often: 'a file of another user, a folder without write permission, a disk that is mounted read-only',
    fix: 'Grant the permission, or copy the file with its -wal file to a folder of your own.',
  },
  R5025: {
    title: 'The store is busy',
    verdict: 'retry',
    when: 'at any time',
    means: 'Another process was writing all the while, so nothing was done. It may be tried again as it is.',
    often: 'a process stopped in a debugger or with Ctrl-Z while it wrote, a long backup',
    fix: 'Let the other process go on, or end it; then try again.',
  },
  R5026: {
    title: 'The store cannot be read',
    verdict: 'fail',
    when: 'at any time',
    means: 'The disk, or the system that lends it, refused to hand out what the store holds. Nothing was changed.',
    often: 'a network drive that went away, a failing disk, too many open files',
    fix: 'Read the cause; once the file can be read again, resume.',
  },
  R5027: {
    title: 'The address names no kind of store',
    verdict: 'fail',
    when: 'when a store is opened',
    means: 'A store is named by a path or by a scheme that this release knows.',
    often: 'a misspelt scheme, a colon in a file name',
    fix: 'Write a path, sqlite:PATH, postgres://HOST/DATABASE, or memory: for one that ends with the process.',
  },
  R5028: {
    title: 'A worker did not introduce itself',
    verdict: 'bug',
    when: 'when a run is created or claimed',
    means: 'A store lends runs only to workers that said hello to it: without a heartbeat, nobody could tell when the lease ends.',
    fix: 'Call hello on the same store object first, and beat from then on.',
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
    when: 'when a command looks for its store in the folder where it begins and in those above',
    means:
      'A folder .reflex is there, and this user has neither made nor named its store; or the store is another one than the one that was made or named at this path. Its questions may be forged: a program or an archive can have put it there. It was not opened.',
    often:
      'a project folder that was copied, moved, or came from another person, another home folder, an empty folder .reflex, a store of a release that kept no identity in the file',
    fix: 'If you know the origin of the store, name it once: reflex runs --store PATH. From then on it is found; one that is read-only must be named each time. Otherwise remove its folder .reflex.',
  },
})

/** The fault for a store without room: `where` is its disk. */
export function noRoom(store: string, where: string, details: { readonly file?: string; readonly cause: unknown }): Fault {
  return kernelFaults.make('R5005', `no room left for the store ${store}: this was not written, and what was recorded before is kept`, {
    ...details,
    fix: `make room on ${where}, then resume`,
  })
}

/** The fault for a store that has taken the place of the expected one. */
export function replaced(file: string): Fault {
  return faults.make('R5030', `the store ${file} is not the one that you made or named at this path`, {
    file,
    fix: 'name it once, if you know its origin',
  })
}
