import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Prompts } from '../manifest/check-activation.ts'

/** The most bytes of a prompt. */
const MOST_BYTES = 64 * 1024

/** Returns the prompts beside the file of a manifest. A prompt that is too large, or that a link leads to from outside, does not exist. */
export function promptsBeside(file: string): Prompts {
  return (reference) => {
    try {
      const folder = realpathSync(dirname(file))
      const path = realpathSync(join(folder, reference))
      const isOutside = relative(folder, path).split(sep)[0] === '..'
      return isOutside || statSync(path).size > MOST_BYTES ? undefined : readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  }
}
