import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shapeFolder } from '../shapes/shape-folder.ts'
import { type ShapeFiles, shapesInMemory } from '../shapes/update-shapes.ts'
import type { WrittenTexts } from './draft-folder.ts'

/** The files of learning beside a store. All can be dropped. */
export interface LearnFolder {
  readonly shapes: ShapeFiles
  readonly written: WrittenTexts
}

/** The name of the folder below that of the store. */
export const SHAPES = 'shapes'

/** Returns the folder of learning below the folder of a store. If that does not exist, nothing is kept on the disk: everything is in memory. */
export function learnFolder(home: string): LearnFolder {
  if (!existsSync(home)) return { shapes: shapesInMemory(), written: writtenInMemory() }
  const folder = join(home, SHAPES)
  return { shapes: shapeFolder(folder), written: writtenIn(folder) }
}

function writtenIn(folder: string): WrittenTexts {
  const file = join(folder, 'drafts.json')
  return {
    read: async () => (existsSync(file) ? readFile(file, 'utf8') : undefined),
    async write(text) {
      await mkdir(folder, { recursive: true })
      await writeFile(file, text)
    },
  }
}

function writtenInMemory(): WrittenTexts {
  let kept: string | undefined
  return { read: async () => kept, write: async (text) => void (kept = text) }
}
