import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ShapeFiles } from './update-shapes.ts'

const FILE = /^[0-9a-f]{32}\.shape$/

/**
 * Returns a folder of shape files, which is created with the first one. A file appears whole: it is written under another name and then
 * renamed. Other files in the folder are left alone. Throws the error of the system if the folder cannot be read or written.
 */
export function shapeFolder(folder: string): ShapeFiles {
  return {
    names: async () => (await orNothing(readdir(folder), [])).filter((name) => FILE.test(name)),
    read: (name) => orNothing(readFile(join(folder, name), 'utf8'), undefined),
    async write(name, text) {
      await mkdir(folder, { recursive: true })
      const draft = join(folder, `${name}.draft`)
      await writeFile(draft, text)
      await rename(draft, join(folder, name))
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  }
}

/** Returns what a read gives, or the other value if there is no such file. */
async function orNothing<T, Other>(read: Promise<T>, other: Other): Promise<T | Other> {
  try {
    return await read
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return other
    throw thrown
  }
}
