import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { systemFileWatcher } from '../reload/file-watcher.ts'
import type { FileWatcher } from '../reload/save-watch.ts'

/** The files of trees. Whoever names a file has checked the name before: nothing here looks at it. */
export interface TreeFiles extends FileWatcher {
  /** Returns the text of a file; undefined if it does not exist. */
  read(path: string): string | undefined
  /** Returns the path without symbolic links; undefined if there is no such file or folder. */
  realPath(path: string): string | undefined
  /** Returns the paths of all files below a folder. */
  list(folder: string): readonly string[]
}

/** The files of this machine. */
export const nodeFiles: TreeFiles = {
  ...systemFileWatcher,
  read: (path) => orMissing(() => readFileSync(path, 'utf8')),
  realPath: (path) => orMissing(() => realpathSync(path)),
  list: (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ parentPath, name }) => `${parentPath}/${name}`)
      .toSorted(),
}

function orMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return undefined
    throw thrown
  }
}
