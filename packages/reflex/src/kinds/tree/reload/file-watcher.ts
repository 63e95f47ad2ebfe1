import { watch } from 'node:fs'
import { join } from 'node:path'
import type { FileWatcher } from './save-watch.ts'

/** Notices changes with the means of the operating system. A folder that is gone is no longer watched. */
export const systemFileWatcher: FileWatcher = {
  watch(folder, onChange) {
    const watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name !== null) onChange(join(folder, name))
    })
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  },
}
