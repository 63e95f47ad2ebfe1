import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The name of the settings file of a folder. */
export const CONFIG = 'reflex.config.json'

/** Returns the nearest settings file in a folder or above it, if there is one. */
export function nearestConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG)
    if (existsSync(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}
